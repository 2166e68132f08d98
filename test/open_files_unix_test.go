//go:build unix

package test

import (
	"fmt"
	"testing"
)

// A server that may open few files serves any number of sessions: what it keeps open
// of those that nobody uses is a share of that. A soft
// limit below the hard one is raised.
func TestManySessionsWithFewFiles(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]string{"hard": "ulimit -n 192", "soft": "ulimit -H -n 192; ulimit -S -n 80"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "BELAY_SCRIPTED_PACE=0")
			cmd := p.command("serve", "--addr", "127.0.0.1:0")
			cmd.Args = append([]string{"sh", "-c", limit + ` && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
			cmd.Path = "/bin/sh"
			s := p.begin(cmd)
			first := s.session()
			for n := range 200 {
				id := s.session()
				if end := last(t, s.turn(map[string]any{"sessionId": id, "message": fmt.Sprint("message ", n)})); end.data["exitCode"] != 0.0 {
					t.Fatalf("in session %d the turn ended with %v", n+1, end.data)
				}
			}
			if end := last(t, s.turn(map[string]any{"sessionId": first, "message": "and the first one"})); end.data["exitCode"] != 0.0 {
				t.Errorf("in the first session the turn ended with %v", end.data)
			}
			if status, answer := s.ready(); status != 200 {
				t.Errorf("/readyz answers %d %s", status, answer)
			}
		})
	}
}
