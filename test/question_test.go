package test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/permit"
)

// writesTwice is a script whose turn asks twice.
const writesTwice = `turns:
  - steps:
      - say: The first.
      - call: {name: write, input: {path: a.txt, content: "a\n"}}
      - say: The second.
      - call: {name: write, input: {path: b.txt, content: "b\n"}}
      - say: Done.
`

// asking starts a turn and returns its stream.
func (s *server) asking(id string, opts map[string]any) *http.Response {
	s.t.Helper()
	res := s.open(context.Background(), "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "go", "opts": opts}))
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		s.t.Fatalf("turn: %d %s", res.StatusCode, text)
	}
	return res
}

// notPermitted is what the end of a turn counts.
func notPermitted(t *testing.T, all []sse) any {
	t.Helper()
	end := last(t, all)
	if end.name != "process:exit" || end.data["exitCode"] != 0.0 {
		t.Fatalf("the turn ended with %s %v: %s", end.name, end.data, names(all))
	}
	return end.data["calls"]
}

// A turn over HTTP says what becomes of its questions. Where it says nothing, a
// question waits for so long as the server's settings say of turns that nobody
// attends, and then counts as not answered.
//
// Covers: turn-api REQ-04
func TestQuestionsOverHTTP(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "BELAY_PERMIT_UNATTENDED_TIMEOUT=1s").race()
	p.scripted(writesTwice)
	s := p.serve()

	res := s.asking(s.session(), map[string]any{})
	all := events(t, res.Body)
	if diff := cmp.Diff(any(map[string]any{"expired": 2.0}), notPermitted(t, all)); diff != "" {
		t.Errorf("nobody attends (-want +got):\n%s", diff)
	}
	for _, e := range all {
		if _, limited := e.data["expiresAt"]; e.name == "permission:request" && !limited {
			t.Errorf("the question names no end: %v", e.data)
		}
	}

	all = events(t, s.asking(s.session(), map[string]any{"onQuestion": "refuse"}).Body)
	if diff := cmp.Diff(any(map[string]any{"refused": 2.0}), notPermitted(t, all)); diff != "" || strings.Contains(names(all), "permission:request") {
		t.Errorf("nobody is asked (-want +got):\n%s%s", diff, names(all))
	}

	id := s.session()
	res = s.asking(id, map[string]any{"onQuestion": "wait"})
	q := p.asked("write")
	token, err := os.ReadFile(filepath.Join(p.state(), "operator.token"))
	must(t, err)
	operator := "Bearer " + strings.TrimSpace(string(token))
	if _, text := s.do("GET", "/api/harness/decisions", "", "Authorization", operator); strings.Contains(text, "expires") || !strings.Contains(text, q.ID) {
		t.Errorf("the open questions are %s", text)
	}
	for _, path := range []string{"a.txt", "b.txt"} {
		q := p.askedFor(path)
		status, text := s.do("POST", "/api/harness/decision", jsonOf(map[string]any{"sessionId": id, "decisionId": q.ID, "verdict": "allow"}), "Authorization", operator)
		if status != http.StatusOK {
			t.Fatalf("the answer: %d %s", status, text)
		}
	}
	all = events(t, res.Body)
	if calls := notPermitted(t, all); calls != nil || p.content("b.txt") != "b\n" {
		t.Errorf("the turn that waits counts %v", calls)
	}
	for _, e := range all {
		if _, limited := e.data["expiresAt"]; limited {
			t.Errorf("there is an end: %v", e.data)
		}
	}

	details := s.fails(400, "INVALID_REQUEST", "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "go", "opts": map[string]any{"onQuestion": "later"}}))
	if details["field"] != "opts.onQuestion" {
		t.Errorf("the refusal names %v", details)
	}
}

// What was refused before a crash is counted at the end of the turn that goes on.
//
// Covers: turn-api REQ-04, REQ-12
func TestCountedAcrossACrash(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.scripted(writesTwice)
	d := p.requests()
	s := p.serve()
	id := s.session()
	res := s.asking(id, map[string]any{"onQuestion": "wait"})
	deny := func(path string) permit.Request {
		t.Helper()
		q := p.askedFor(path)
		_, err := d.Decide(context.Background(), id, q.ID, permit.VerdictDeny, "a test", "")
		must(t, err)
		return q
	}
	deny("a.txt")
	p.askedFor("b.txt")
	s.kill()
	_ = res.Body.Close()
	s = p.serve()
	q := deny("b.txt")
	all := events(t, s.open(context.Background(), "GET", "/api/harness/session/"+id+"/events?turn="+q.TurnID, "").Body)
	if diff := cmp.Diff(any(map[string]any{"refused": 2.0}), notPermitted(t, all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A question whose turn is gone, as after a power cut, is closed by the next server:
// nobody waits for its answer. One that is of a session elsewhere is left alone.
//
// Covers: turn-api REQ-04
func TestQuestionOfALostTurn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	d := p.requests()
	s := p.serve()
	id := s.session()
	s.kill()
	for question, session := range map[string]string{"dec_lost": id, "dec_elsewhere": "sess_elsewhere"} {
		_, err := d.Post(context.Background(), permit.Request{
			ID: question, SessionID: session, TurnID: "turn_lost", ToolCallID: "c", Agent: "WORKING_ITEMS",
			Effect: permit.Effect{Tool: "write", Kind: permit.Write, Summary: "write a.txt", Paths: []string{"a.txt"}},
		})
		must(t, err)
	}
	p.serve()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		open, err := d.List(context.Background(), "")
		must(t, err)
		if len(open) == 1 && open[0].ID == "dec_elsewhere" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("still open: %+v", open)
		}
	}
	if v, answered, err := d.Verdict("dec_lost"); err != nil || !answered || v.Allowed() || v.By != permit.ByBelay {
		t.Errorf("it ended with %+v, %v", v, err)
	}
}
