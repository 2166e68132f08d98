package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// scripted makes the place's model follow a script.
func (p *place) scripted(script string) {
	p.t.Helper()
	name := filepath.Join(p.t.TempDir(), "script.yaml")
	must(p.t, os.WriteFile(name, []byte(script), 0o600))
	p.env = append(p.env, "BELAY_SCRIPTED_SCRIPT="+name)
}

// interrupted is a script whose command changes files, says so with one more, and
// then does not end.
const interrupted = `turns:
  - steps:
      - say: I change things.
      - call:
          name: bash
          input:
            command: |
              echo changed > a.txt; rm b.txt; mkdir -p new/deep empty; echo new > new/deep/c
              echo mine > _STATUS.md; ln -s a.txt link
              echo > .begun-not-listed; mv .begun-not-listed begun; sleep 300
      - say: Done.
  - when: other
    steps:
      - call: {name: bash, input: {command: echo other > other.txt}}
      - say: Done as well.
  - steps:
      - say: And on it goes.
`

// changed are the paths that a session's turns changed, as its operator is told.
// Those that were put back are marked.
func (p *place) changed(session string) (paths []string) {
	p.t.Helper()
	out, err := p.command("session", "changes", session, "--json").Output()
	must(p.t, err)
	var list struct {
		Turns []struct {
			Changes []struct {
				Path, Diff string
				Restored   bool
			}
		}
	}
	must(p.t, json.Unmarshal(out, &list))
	for _, turn := range list.Turns {
		for _, c := range turn.Changes {
			if c.Restored {
				c.Path += " (restored)"
			} else if c.Diff == "" {
				p.t.Errorf("%s has no diff", c.Path)
			}
			paths = append(paths, c.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// temp is the TMPDIR of the command that has made a file in it, "" while there is none.
func (p *place) temp(name string) string {
	p.t.Helper()
	cache := ""
	for _, v := range p.env {
		if dir, ok := strings.CutPrefix(v, "XDG_CACHE_HOME="); ok {
			cache = dir
		}
	}
	found, err := filepath.Glob(filepath.Join(cache, "belay", "scratch", "*", "tmp", name))
	must(p.t, err)
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[0])
}

// await waits until a command has made a file in its TMPDIR, and returns that folder.
func (p *place) await(name string) string {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if dir := p.temp(name); dir != "" {
			return dir
		}
	}
	p.t.Fatalf("%s never comes to be", name)
	return ""
}

// begun are the files of that name that commands have made, which are in no project
// yet.
func (p *place) begun() []string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.project, ".belay", "tmp", "*", "upper", "begun"))
	must(p.t, err)
	return found
}

// A process is killed in the middle of a command. Nothing that the command had changed
// by then is real, nothing of it runs on, and nothing is left of it.
//
// Covers: turn-api REQ-04, REQ-12, workspace 9.5
func TestCommandKilled(t *testing.T) {
	t.Parallel()
	const twice = "and so is the next one"
	for name, next := range map[string]func(p *place, id string){
		"and its changes are asked for":   func(*place, string) {},
		"and another session's command":   func(p *place, id string) { p.others(id) },
		"and the session goes on":         func(p *place, id string) { p.run("turn", "--session", id, "on") },
		"and a server starts":             func(p *place, id string) { p.serve().settled(id) },
		twice:                             func(p *place, id string) { p.killed("turn", "--allow", "bash", "go"); p.others(id) },
		"and the project is sweeped":      func(p *place, _ string) { p.run("gc") },
		"and the session is forked first": func(p *place, id string) { p.run("session", "fork", id, "--json") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.scripted(interrupted)
			for file, text := range map[string]string{"a.txt": "a\n", "b.txt": "b\n", "_STATUS.md": "state\n"} {
				p.file(file, text)
			}
			before := p.tree()
			id := p.killed("turn", "--allow", "bash", "go")
			next(p, id)
			if got := p.changed(id); len(got) > 0 {
				t.Errorf("the command changed %q", got)
			}
			after := p.tree()
			delete(after, "other.txt")
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("(-before +after)\n%s", diff)
			}
			p.run("turn", "--session", id, "and on")
			p.checkRecord(id)
			p.run("gc")
			if left, err := filepath.Glob(filepath.Join(p.project, ".belay", "tmp", "*")); err != nil || len(left) > 0 {
				t.Errorf("there is still %v, %v", left, err)
			}
		})
	}
}

// run runs a command of the place's to its end.
func (p *place) run(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			p.t.Fatalf("belay %v: %v\n%s", args, err, exit.Stderr)
		}
		p.t.Fatalf("belay %v: %v", args, err)
	}
	return string(out)
}

// killed starts a turn and kills it when its command has done what it does. It
// returns the session.
func (p *place) killed(args ...string) (session string) {
	p.t.Helper()
	known, before := p.sessions(), p.begun()
	turn := p.command(args...)
	var told bytes.Buffer
	turn.Stderr = &told
	must(p.t, turn.Start())
	for end := time.Now().Add(patience); !slices.ContainsFunc(p.begun(), func(f string) bool { return !slices.Contains(before, f) }); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("the command never begins\n%s", &told)
		}
	}
	must(p.t, turn.Process.Kill())
	_ = turn.Wait() // killed
	for _, id := range p.sessions() {
		if !slices.Contains(known, id) {
			return id
		}
	}
	p.t.Fatalf("there is no new session\n%s", &told)
	return ""
}

func (p *place) sessions() (ids []string) {
	p.t.Helper()
	all, err := os.ReadDir(filepath.Join(p.project, ".belay", "sessions"))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	for _, e := range all {
		ids = append(ids, e.Name())
	}
	return ids
}

// others runs a command in another session, which has its own change to tell.
func (p *place) others(not string) {
	p.t.Helper()
	known := p.sessions()
	p.run("turn", "--allow", "bash", "other")
	for _, id := range p.sessions() {
		if id == not || slices.Contains(known, id) {
			continue
		}
		if diff := cmp.Diff([]string{"other.txt"}, p.changed(id)); diff != "" {
			p.t.Errorf("the other session (-want +got)\n%s", diff)
		}
	}
}

// settled waits until a session's turn has its end.
func (s *server) settled(id string) {
	s.t.Helper()
	res, err := s.post("/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "on", "opts": map[string]any{"onBusy": "queue"}}))
	must(s.t, err)
	defer res.Body.Close()
	if all := events(s.t, res.Body); last(s.t, all).data["exitCode"] != 0.0 {
		s.t.Errorf("the next turn ended with %v", last(s.t, all).data)
	}
}

// slow is a script of sessions that run commands and write a file.
const slow = `turns:
  - when: first
    steps:
      - call: {name: bash, input: {command: "touch $TMPDIR/first.begun; until [ -e $TMPDIR/go ]; do echo on >> first.txt; sleep 0.02; done"}}
      - say: Done.
  - when: second
    steps:
      - call: {name: bash, input: {command: "for i in 1 2 3 4 5; do echo $i >> second.txt; sleep 0.01; done"}}
      - say: Done.
  - when: hasty
    steps:
      - call: {name: bash, input: {command: "echo hasty > hasty.txt"}}
      - say: Done.
  - when: writer
    steps:
      - call: {name: write, input: {path: written.txt, content: "written\n"}}
      - say: Done.
`

// Commands run in one project at the same time, in several processes, one more writes
// a file, and so does a person: what each has changed is told as its own, and
// nobody's else.
//
// Covers: turn-api REQ-04, workspace 9.5
func TestTwoProcessesInOneProject(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.scripted(slow)
	must(t, os.MkdirAll(filepath.Join(p.project, ".belay"), 0o700))
	begin := func(message string) (done func() string) {
		var out bytes.Buffer
		turn := p.command("turn", "--json", "--mode", "acceptEdits", "--allow", "bash", message)
		turn.Stdout = &out
		must(t, turn.Start())
		t.Cleanup(func() { _ = turn.Process.Kill() })
		return func() string {
			if err := turn.Wait(); err != nil {
				t.Errorf("%s: %v", message, err)
			}
			return out.String()
		}
	}
	first := begin("first")
	temp := p.await("first.begun")
	second, hasty, writer := begin("second"), begin("hasty"), begin("writer")
	fine := func(message, out string) {
		t.Helper()
		if !strings.Contains(out, `{"exitCode":0}`) || strings.Contains(out, `"ok":false`) {
			t.Errorf("%s: %s", message, out)
		}
	}
	fine("second", second())
	fine("hasty", hasty())
	fine("writer", writer())
	p.file("a-person's", "")
	must(t, os.WriteFile(filepath.Join(temp, "go"), nil, 0o600))
	fine("first", first())
	got := map[string]bool{}
	for _, id := range p.sessions() {
		got[strings.Join(p.changed(id), " ")] = true
	}
	want := map[string]bool{"first.txt": true, "second.txt": true, "hasty.txt": true, "written.txt": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
