package test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command whose output nobody can guess.
const makesOnce = `turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "cat /proc/sys/kernel/random/uuid | tee made.txt"}}
      - say: It is made.
`

// The server is killed while a person is asked about what a command changed. The
// command does not run again: what is applied then is what the person was shown. A
// question that is answered while no server runs counts, too.
//
// Covers: turn-api REQ-04, REQ-12
func TestChangesWaitThroughAKill(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]bool{"answered by the next server": false, "answered while none runs": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := filepath.Join(t.TempDir(), "script.yaml")
			must(t, os.WriteFile(script, []byte(makesOnce), 0o600))
			p := newPlace(t, "BELAY_SCRIPTED_SCRIPT="+script)
			s := p.serve()
			id := s.session()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			stream := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "go"}))
			asked := p.asked("bash").ID
			shown, err := p.command("decision", "show", asked).CombinedOutput()
			must(t, err)
			s.kill()
			_ = stream.Body.Close()
			if _, err := os.Stat(filepath.Join(p.project, "made.txt")); err == nil {
				t.Error("the file is there before it was allowed")
			}
			if down {
				p.answer("bash")
			}
			s = p.serve()
			if !down {
				p.answer("bash")
			}
			all := events(t, s.open(ctx, "GET", "/api/harness/session/"+id+"/events?turn="+s.turnOf(id), "").Body)
			if end := last(t, all); end.name != "process:exit" || end.data["exitCode"] != 0.0 {
				t.Errorf("the turn ended with %+v", end)
			}
			made := strings.TrimSpace(p.content("made.txt"))
			if made == "" || !strings.Contains(string(shown), "\n+"+made+"\n") {
				t.Errorf("the file holds %q, and a person was shown\n%s", made, shown)
			}
			if left, err := filepath.Glob(filepath.Join(p.project, ".belay", "changes", "*")); err != nil || len(left) > 0 {
				t.Errorf("there is still %v, %v", left, err)
			}
		})
	}
}
