//go:build unix

package test

import (
	"context"
	"strings"
	"testing"

	"belay/internal/bus/contract"
)

// The turn of a request from the bus is a line with the ids of both, and of the session.
func TestLogLinesOfTheBus(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "BELAY_BUS_ENABLED=on")
	s := p.serve("--log-format", "json")
	c := p.attach()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	session, err := c.CreateSession(ctx, "", &contract.SessionCreate{ProjectRoot: p.project})
	must(t, err)
	id := session.SessionID
	if end := p.answered(c, id, "test:room:1", "hello"); end.State != contract.StateResolved {
		t.Errorf("the request: %+v", end)
	}
	turn := s.turnOf(id)
	s.stop()
	var ended string
	for line := range strings.Lines(s.err.String()) {
		if strings.Contains(line, "turn ended") {
			ended = line
		}
	}
	for name, want := range map[string]string{"request": "test:room:1", "session": id, "turn": turn} {
		if got := fieldOf(t, "json", ended, name); got != want {
			t.Errorf("%s is %q, want %q, in %s", name, got, want, ended)
		}
	}
}
