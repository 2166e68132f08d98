package test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An answer over HTTP may let some of the files count that a command changed.
//
// Covers: turn-api REQ-04
func TestDecideOnSomeFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.scripted(`turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "echo a > a.txt; mkdir sub; echo b > sub/b.txt; echo c > c.txt"}}
      - say: It is made.
`)
	s := p.serve()
	id := s.session()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	stream := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "go"}))
	asked := p.asked("bash").ID
	token, err := os.ReadFile(filepath.Join(p.state(), "operator.token"))
	must(t, err)
	bearer := "Bearer " + strings.TrimSpace(string(token))
	decide := func(only ...string) string {
		return jsonOf(map[string]any{"sessionId": id, "decisionId": asked, "verdict": "allow", "only": only})
	}
	s.fails(400, "INVALID_REQUEST", "POST", "/api/harness/decision", decide("other.txt"), "Authorization", bearer)
	if status, answer := s.do("POST", "/api/harness/decision", decide("a.txt", "sub"), "Authorization", bearer); status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	if end := last(t, events(t, stream.Body)); end.data["exitCode"] != 0.0 {
		t.Errorf("the turn ended with %v", end.data)
	}
	if p.content("a.txt") != "a\n" || p.content("sub/b.txt") != "b\n" {
		t.Error("what was chosen is not there")
	}
	if _, err := os.Lstat(filepath.Join(p.project, "c.txt")); !os.IsNotExist(err) {
		t.Errorf("what was not chosen is there: %v", err)
	}
}
