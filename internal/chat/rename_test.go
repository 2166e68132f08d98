package chat

import (
	"context"
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// renamer is an engine that keeps the titles it was given.
type renamer struct {
	*fake
	titles []string
	err    error
}

func (r *renamer) Update(_ context.Context, id string, c turn.SessionChange) (session.Record, error) {
	r.titles = append(r.titles, id+" "+*c.Title)
	return session.Record{SessionID: id, Title: *c.Title}, r.err
}

// The person names a session; until something was said there is none to name.
func TestRename(t *testing.T) {
	t.Parallel()
	r := &renamer{}
	s := newStage(t, func(o *Options) { r.fake = o.Engine.(*fake); o.Engine = r })
	s.say("/rename The piers")
	s.shows("nothing was said yet that could have a title")
	s.begun()
	s.say("/rename")
	s.shows("type the title after it")
	s.say("/rename The piers, again\x1b]0;x\a")
	s.shows("lists call this session “The piers, again")
	s.tame()
	r.err = fault.New(fault.TurnInProgress, "a turn runs in the session")
	s.say("/rename The abutments")
	s.shows("the session keeps its title: a turn runs in the session")
	if len(r.titles) != 2 || !strings.HasPrefix(r.titles[0], "sess_1 The piers, again") || r.titles[1] != "sess_1 The abutments" {
		t.Errorf("titles = %q", r.titles)
	}
}

// Lists show the title in place of the first message.
func TestPickedByTitle(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *Options) {
		o.Engine.(*fake).records = []session.Record{{SessionID: "sess_2", Persona: "ENGINEER", Title: "The piers", UpdatedAt: session.Time{Time: noon}}}
		o.Opening = func(context.Context, string) string { return "the first message" }
	})
	s.say("/session")
	s.shows("The piers")
	s.lacks("the first message")
}

// The request for the notes of a project is the person's to read, change and send.
func TestInit(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("/init in German")
	s.shows("Be brief: at most 60 lines", "in German")
	s.sent()
	s.press("enter")
	s.sent(turn.Request{SessionID: "sess_1", Message: initWish + "\n\nin German"})
}
