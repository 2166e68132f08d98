//go:build unix

package test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ready is the answer of /readyz.
func (s *server) ready() (status int, answer string) { return s.do("GET", "/readyz", "") }

// becomes waits until /readyz answers with that status and such a text.
func (s *server) becomes(status int, text string) {
	s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		got, answer := s.ready()
		if got == status && strings.Contains(answer, text) {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("/readyz answers %d %s, want %d %q", got, answer, status, text)
		}
	}
}

// acts asks for a call in every turn.
const acts = `turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "cat /proc/sys/kernel/random/uuid > made.txt"}}
      - say: It is made.
`

// Somebody removes the state folder under a server. It makes the folder again: turns
// run in the session that it has and in a new one, a call is asked about and allowed
// from another process, other commands find the server, and the bus carries on.
//
// Covers: turn-api REQ-03, REQ-04
func TestStateFolderIsRemovedUnderAServer(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(s *server){
		"and somebody asks whether it is ready": func(s *server) {
			if status, answer := s.ready(); status != 200 {
				s.t.Errorf("/readyz answers %d %s", status, answer)
			}
		},
		"and a turn comes":         func(*server) {},
		"and another process runs": func(s *server) { must(s.t, s.command("session", "list").Run()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			script := filepath.Join(t.TempDir(), "script.yaml")
			must(t, os.WriteFile(script, []byte(acts), 0o600))
			p.env = append(p.env, "BELAY_SCRIPTED_SCRIPT="+script, "BELAY_BUS_ENABLED=on")
			s := p.serve()
			id := s.session()
			s.acted(id)
			token, err := os.ReadFile(filepath.Join(p.state(), "operator.token"))
			must(t, err)
			remove(t, p.state())
			first(s)
			s.acted(id)
			s.acted(s.session())
			s.becomes(200, `"ready"`)
			if again, err := os.ReadFile(filepath.Join(p.state(), "operator.token")); err != nil || string(again) != string(token) && name != "and another process runs" {
				t.Errorf("the operator's token became %q, %v", again, err)
			}
			if _, err := os.Stat(filepath.Join(p.state(), "servers", fmt.Sprint(s.cmd.Process.Pid)+".json")); err != nil {
				t.Errorf("other commands do not find the server: %v", err)
			}
			for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
				_, metrics := s.do("GET", "/metrics", "")
				if strings.Contains(metrics, "belay_bus_up 1") {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("the bus does not carry on:\n%s", metrics)
				}
			}
			p.checkRecord(id)
		})
	}
}

// acted takes a turn whose call is asked about and allowed.
func (s *server) acted(id string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	stream := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "go"}))
	defer stream.Body.Close()
	if stream.StatusCode != 200 {
		s.t.Fatalf("the turn is answered %s", stream.Status)
	}
	s.answer("bash")
	if end := last(s.t, events(s.t, stream.Body)); end.name != "process:exit" || end.data["exitCode"] != 0.0 {
		s.t.Errorf("the turn ended with %+v", end)
	}
}

// Where the state folder cannot be made again, the server says that it is not ready,
// and why, until it can.
func TestStateFolderCannotBeMadeAgain(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	id := s.session()
	// The server makes the folder again whenever it misses it.
	wait(t, "a file in the place of the folder", func() bool {
		return os.RemoveAll(s.state()) == nil && os.WriteFile(s.state(), nil, 0o600) == nil
	})
	s.becomes(503, "the state folder cannot be written: not a directory")
	if status, answer := s.do("POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "hi"})); status != 507 {
		t.Errorf("a turn is answered %d %s", status, answer)
	}
	must(t, os.Remove(s.state()))
	s.becomes(200, `"ready"`)
	if end := last(t, s.turn(map[string]any{"sessionId": id, "message": "hi"})); end.data["exitCode"] != 0.0 {
		t.Errorf("the turn ended with %+v", end)
	}
}

// A project whose folder takes no writes is listed, and the server stays ready.
func TestProjectThatTakesNoWrites(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	s.turn(map[string]any{"sessionId": s.session(), "message": "hi"})
	remove(t, s.project)
	s.becomes(200, `"projects":[{"projectRoot":`+jsonOf(s.project)+`,"reason":"no such file or directory"}]`)
}

// A server starts on a full disk, and where a file stands in the place of the bus. It
// says what it goes without on stderr, to /readyz and to doctor, and people clean up
// through it.
func TestServeStartsWithoutWhatItCannotWrite(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "BELAY_BUS_ENABLED=on")
	s := p.serve()
	id := s.session()
	s.turn(map[string]any{"sessionId": id, "message": "hi"})
	s.kill()
	must(t, os.RemoveAll(filepath.Join(p.state(), "bus")))
	must(t, os.WriteFile(filepath.Join(p.state(), "bus"), nil, 0o600))
	s = p.serve("--json")
	s.becomes(200, `"missing":[{"part":"event bus","reason":"not a directory",`)
	s.kill()
	if !strings.Contains(s.err.String(), "warning: the server goes without its event bus (not a directory): ") {
		t.Errorf("the server said %s", s.err)
	}

	must(t, os.Remove(filepath.Join(p.state(), "operator.token")))
	cmd := p.command("serve", "--addr", "127.0.0.1:0")
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 0; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	s = p.begin(cmd)
	s.becomes(503, "the state folder cannot be written: file too large")
	_, answer := s.ready()
	for _, part := range []string{"event bus", "operator's token", "entry in the state folder"} {
		if !strings.Contains(answer, `{"part":"`+part+`"`) {
			t.Errorf("/readyz does not tell of the %s: %s", part, answer)
		}
	}
	var checks []struct{ Name, Level string }
	_, doctor := s.do("GET", "/api/system/doctor", "")
	must(t, json.Unmarshal([]byte(doctor), &checks))
	found := false
	for _, c := range checks {
		found = found || c.Name == "server: event bus" && c.Level == "problem"
	}
	if !found {
		t.Errorf("doctor says %s", doctor)
	}
	if status, answer := s.do("GET", "/api/harness/session/"+id+"/transcript", ""); status != 200 {
		t.Errorf("the transcript is answered %d %s", status, answer)
	}
	if status, answer := s.do("DELETE", "/api/harness/session/"+id, ""); status != 200 {
		t.Errorf("removing the session is answered %d %s", status, answer)
	}
	if left, err := os.ReadDir(filepath.Join(p.project, ".belay", "sessions")); err != nil || len(left) > 0 {
		t.Errorf("left of the session: %v, %v", left, err)
	}
}
