package worker

import (
	"context"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// slowly is an engine that makes a session only when it may.
type slowly struct {
	turn.Engine

	may chan struct{}
}

func (s slowly) Create(ctx context.Context, r turn.CreateRequest) (session.Record, error) {
	<-s.may
	return s.Engine.Create(context.WithoutCancel(ctx), r)
}

// A surface whose reply came too late asks again for the session of a request, and gets the
// one that was made. Another request, or another project, gets its own.
func TestOneSessionForARequest(t *testing.T) {
	t.Parallel()
	may := make(chan struct{})
	r := openRig(t, t.TempDir(), talk, func(o *Options) { o.Engine = slowly{o.Engine, may} })
	soon, cancel := context.WithTimeout(r.ctx(), 200*time.Millisecond)
	defer cancel()
	ask := &contract.SessionCreate{ProjectRoot: r.project}
	if _, err := r.client.CreateSession(soon, "discord:1:1", ask); !isFault(err, fault.Overloaded) {
		t.Errorf("a late reply: %v", err)
	}
	close(may)
	made := map[string]bool{}
	for _, request := range []string{"discord:1:1", "discord:1:1", "discord:1:2", "", ""} {
		s, err := r.client.CreateSession(r.ctx(), request, ask)
		must(t, err)
		made[s.SessionID] = true
	}
	page, err := r.client.Sessions(r.ctx(), &contract.SessionList{ProjectRoot: r.project})
	must(t, err)
	if len(made) != 4 || len(page.Sessions) != 4 {
		t.Errorf("%d sessions were made, the surface knows %d, want 4", len(page.Sessions), len(made))
	}
	first, err := r.client.CreateSession(r.ctx(), "discord:1:1", ask)
	must(t, err)
	must(t, r.engine.Delete(r.ctx(), first.SessionID))
	again, err := r.client.CreateSession(r.ctx(), "discord:1:1", ask)
	if err != nil || again.SessionID == first.SessionID {
		t.Errorf("a session that is gone: %v", err)
	}
}

func TestCreationsAreBounded(t *testing.T) {
	t.Parallel()
	var c creations
	kept := c.of(creationKey{client: "x"})
	for i := range maxCreations - 1 {
		c.of(creationKey{request: string(rune('a' + i))})
	}
	if c.of(creationKey{client: "x"}) != kept {
		t.Error("one was forgotten too early")
	}
	c.of(creationKey{client: "y"})
	if c.of(creationKey{client: "x"}) == kept || len(c.all) != maxCreations || len(c.order) != maxCreations {
		t.Errorf("%d are remembered", len(c.all))
	}
}
