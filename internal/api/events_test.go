package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/overview"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/workspace/index"
)

// overviewServer is a server with an overview of a state folder of its own. The sessions
// whose logs it has are those of the engine.
func overviewServer(t *testing.T) (base string, h *api.Handler, engine *apitest.Engine, store *session.Store, requests *permit.Requests) {
	t.Helper()
	engine = &apitest.Engine{}
	base, h, store, requests = overviewServerWith(t, engine)
	return base, h, engine, store, requests
}

func overviewServerWith(t *testing.T, engine turn.Engine) (base string, h *api.Handler, store *session.Store, requests *permit.Requests) {
	t.Helper()
	store, err := session.NewStore(session.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if requests, err = permit.OpenRequests(permit.RequestsOptions{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = requests.Close() })
	all := overview.New(overview.Options{Sessions: store.Catalog(), Questions: requests, Tick: 5 * time.Millisecond})
	t.Cleanup(all.Close)
	set := index.NewSet(index.Options{MaxWatches: 1000, Poll: 10 * time.Millisecond})
	t.Cleanup(set.Close)
	h = api.New(api.Options{Engine: engine, Overview: all, Projects: api.Projects{Index: set}})
	return serve(t, h), h, store, requests
}

// untilEvent reads a stream up to an event whose data has the text, and returns it and the
// sequences of s1's events on the way.
func untilEvent(t *testing.T, events <-chan sseEvent, name, text string) (found sseEvent, seqs []int64) {
	t.Helper()
	for e := range events {
		if e.name == "session:event" {
			var data struct {
				SessionID string
				Seq       int64
				Type      event.Type
			}
			if err := json.Unmarshal([]byte(e.data), &data); err != nil || data.SessionID != "s1" || data.Type == "" {
				t.Fatalf("%s: %v", e.data, err)
			}
			seqs = append(seqs, data.Seq)
		}
		if e.name == name && strings.Contains(e.data, text) {
			return e, seqs
		}
	}
	t.Fatalf("no %s with %q", name, text)
	return
}

func dense(first int64, seqs []int64) bool {
	for i, n := range seqs {
		if n != first+int64(i) {
			return false
		}
	}
	return len(seqs) > 0
}

// One stream has everything, and a reader whose connection broke misses nothing.
func TestAllEvents(t *testing.T) {
	t.Parallel()
	base, h, engine, store, requests := overviewServer(t)
	root := t.TempDir()
	rec, err := store.Create(t.Context(), root, "WORKING_ITEMS", "direct")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: root}); err != nil {
		t.Fatal(err)
	}
	say := func(message string) {
		s, err := engine.Start(t.Context(), turn.Request{SessionID: "s1", Message: message})
		if err != nil {
			t.Fatal(err)
		}
		engine.Wait()
		_ = s.Close()
	}
	project := overview.ProjectID(root)
	address := fmt.Sprintf("%s/api/events?sessions=s1&projects=%s", base, project)
	events, end := follow(t, address, "")
	untilEvent(t, events, "feed:ready", "")
	say("hello")
	_, seqs := untilEvent(t, events, "session:event", "process:exit")
	if !dense(1, seqs) {
		t.Errorf("the log came as %v", seqs)
	}
	setState(t, root, "OPEN")
	last, _ := untilEvent(t, events, "project:event", `"type":"project:changed"`)
	end()

	// What happens while nobody listens.
	say("again")
	setState(t, root, "INITIALIZED")
	if _, err := requests.Post(t.Context(), permit.Request{ID: "dec_1", SessionID: rec.SessionID, ProjectRoot: root, Reason: "it asks"}); err != nil {
		t.Fatal(err)
	}
	next := seqs[len(seqs)-1] + 1
	events, end = follow(t, address, last.id)
	var got struct {
		seqs                     []int64
		exit, decision, deployed bool
	}
	for e := range events {
		switch e.name {
		case "session:event":
			var data sessionEventSeq
			if err := json.Unmarshal([]byte(e.data), &data); err != nil {
				t.Fatal(err)
			}
			got.seqs = append(got.seqs, data.Seq)
			got.exit = got.exit || strings.Contains(e.data, "process:exit")
		case "decision:opened":
			got.decision = true
		case "project:event":
			got.deployed = got.deployed || strings.Contains(e.data, "initialized") || strings.Contains(e.data, "project:reset")
		case "feed:reset":
			t.Error("changes were missed")
		}
		if got.exit && got.decision && got.deployed {
			last = e
			break
		}
	}
	if !dense(next, got.seqs) || !got.decision {
		t.Errorf("after the break: %+v", got)
	}
	end()

	// The stream reports a session that is deleted, and goes on.
	events, end = follow(t, address+"&lastEventId="+last.id, "")
	defer end()
	untilEvent(t, events, "feed:ready", "")
	if _, err := requests.Decide(t.Context(), "", "dec_1", permit.VerdictDeny, "ana", ""); err != nil {
		t.Fatal(err)
	}
	untilEvent(t, events, "decision:closed", `"by":"ana"`)
	h.EndFollowers()
	for range events { // which ends
	}
}

// damaged is an engine whose session s2 cannot be read.
type damaged struct{ *apitest.Engine }

func (d damaged) Events(ctx context.Context, id string, after int64, turnID string) (turn.Stream, error) {
	if id == "s2" {
		return nil, fault.New(fault.StorageFailure, "its record is damaged")
	}
	return d.Engine.Events(ctx, id, after, turnID)
}

// A session that cannot be read ends no other.
func TestAllEventsBesideADamagedSession(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{}
	base, _, _, _ := overviewServerWith(t, damaged{engine})
	root := t.TempDir()
	for range 2 {
		if _, err := engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: root}); err != nil {
			t.Fatal(err)
		}
	}
	events, end := follow(t, base+"/api/events?sessions=s1,s2", "")
	defer end()
	untilEvent(t, events, "session:end", `{"sessionId":"s2","error":"STORAGE_FAILURE"`)
	s, err := engine.Start(t.Context(), turn.Request{SessionID: "s1", Message: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	untilEvent(t, events, "session:event", "process:exit")
}

// The first event says where the feed is, however much the logs already have.
func TestAllEventsBeginWithTheFeed(t *testing.T) {
	t.Parallel()
	base, _, engine, store, _ := overviewServer(t)
	root := t.TempDir()
	if _, err := store.Create(t.Context(), root, "WORKING_ITEMS", "direct"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		rec, err := engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: root})
		if err != nil {
			t.Fatal(err)
		}
		s, err := engine.Start(t.Context(), turn.Request{SessionID: rec.SessionID, Message: "hello"})
		if err != nil {
			t.Fatal(err)
		}
		engine.Wait()
		_ = s.Close()
	}
	address := fmt.Sprintf("%s/api/events?sessions=s1,s2&projects=%s", base, overview.ProjectID(root))
	for _, c := range []struct{ last, want string }{{"", "feed:ready"}, {"ABCDEFGHIJKL.1", "feed:reset"}, {"", "feed:ready"}} {
		for range 10 {
			events, end := follow(t, address, c.last)
			if first := <-events; first.name != c.want {
				t.Errorf("after %q comes %+v first", c.last, first)
			}
			end()
		}
	}
}

type sessionEventSeq struct{ Seq int64 }

func TestAllEventsRefused(t *testing.T) {
	t.Parallel()
	base, _, _, _, _ := overviewServer(t)
	nine := strings.TrimSuffix(strings.Repeat("s,", 9), ",")
	for query, want := range map[string]string{
		"sessions=nobody":                  "SESSION_NOT_FOUND",
		"sessions=" + nine:                 "the limit is 8",
		"sessions=a,a":                     "names a twice",
		"sessions=../etc":                  "which is no id",
		"sessions=s1:-1":                   "which is no id",
		"projects=p_0123456789abcdef":      "no project has the id",
		"projects=/tmp":                    "which is no id",
		"sessions=..&projects=x&sessions":  "is given more than once",
		"sessions=..&projects=x":           "and 1 more in details.problems",
		"lastEventId=7":                    "is not the id of an event",
		"lastEventId=ABCDEFGHIJKL.1,s:a:x": "is not the id of an event",
	} {
		res, body := fetch(t, base+"/api/events?"+query)
		if res.StatusCode < 400 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", query, res.StatusCode, body)
		}
	}
}
