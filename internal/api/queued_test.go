package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/turn"
)

// busy is an engine whose sessions are busy: turns wait in line, each until it is sent on,
// or away with its caller.
type busy struct {
	*apitest.Engine
	waits, on, away chan struct{}
}

func (b *busy) Start(ctx context.Context, r turn.Request) (turn.Stream, error) {
	b.waits <- struct{}{}
	if r.KeepsPlace {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-ctx.Done():
		b.away <- struct{}{}
		return nil, ctx.Err()
	case <-b.on:
		return b.Engine.Start(ctx, r)
	}
}

// A turn that waits in line with an Idempotency-Key is taken without its client, who may
// come back for it. Any other leaves the line with its client.
//
// Covers: turn-api REQ-11
func TestQueuedTurnWithoutItsClient(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, key, opts string }{
		{"taken", "k1", `{"onBusy":"queue"}`},
		{"without a key", "", `{"onBusy":"queue"}`},
		{"to be interrupted", "k1", `{"onBusy":"queue","onDisconnect":"interrupt"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			engine := &busy{new(apitest.Engine), make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)}
			if _, err := engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: "/project"}); err != nil {
				t.Fatal(err)
			}
			h := api.New(api.Options{Engine: engine})
			base := serve(t, h)
			t.Cleanup(h.EndStreams)
			t.Cleanup(engine.Wait)
			ctx, leave := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/harness/turn",
				strings.NewReader(`{"sessionId":"s1","message":"later","opts":`+c.opts+`}`))
			if err != nil {
				t.Fatal(err)
			}
			if c.key != "" {
				r.Header.Set("Idempotency-Key", c.key)
			}
			left := make(chan error, 1)
			go func() {
				_, err := http.DefaultClient.Do(r) // there is no answer
				left <- err
			}()
			<-engine.waits
			leave()
			if err := <-left; err == nil {
				t.Fatal("the client got an answer")
			}
			if c.name != "taken" {
				<-engine.away
				return
			}
			engine.on <- struct{}{}
			eventually(t, "the turn", func() bool { return len(engine.Requests()) == 1 })
		})
	}
}
