package test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sweeping is a script whose command changes every file, adds as many in folders
// of its own, and leaves an empty folder.
const sweeping = `turns:
  - steps:
      - call:
          name: bash
          input:
            command: |
              for f in f*; do echo changed > $f; mkdir -p made/$f/deep; echo new > made/$f/deep/new; done
              mkdir -p made/empty/folder
      - say: Done.
`

// tree is the project's files and folders with their contents, less .belay.
func (p *place) tree() map[string]string {
	p.t.Helper()
	all := map[string]string{}
	must(p.t, filepath.WalkDir(p.project, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".belay":
			return fs.SkipDir
		}
		name, _ := filepath.Rel(p.project, path)
		if d.IsDir() {
			all[name+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(path)
		all[name] = string(data)
		return err
	}))
	return all
}

// An undo that is killed leaves every file as it was before the turn or after it.
// The next command in the session finishes it and says so, and nothing is left.
//
// Covers: turn-api REQ-04
func TestUndoKilled(t *testing.T) {
	t.Parallel()
	const n = 60
	for _, at := range []int{0, n/3 + 1, 2 * n / 3} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			for range 20 { // on a busy machine the undo may have ended before it is killed
				if undoKilled(t, n, at) {
					return
				}
			}
			t.Error("no undo was killed in time")
		})
	}
}

// undoKilled kills the undo of a turn that changed n files when it has put back the one
// of that number, and reports whether it had not ended by then.
func undoKilled(t *testing.T, n, at int) bool {
	t.Helper()
	p := newPlace(t)
	script := filepath.Join(t.TempDir(), "script.yaml")
	must(t, os.WriteFile(script, []byte(sweeping), 0o600))
	p.env = append(p.env, "BELAY_SCRIPTED_SCRIPT="+script)
	for i := range n {
		p.file(fmt.Sprintf("f%03d", i), "before\n")
	}
	before := p.tree()
	if out, err := p.command("turn", "--allow", "bash", "go").CombinedOutput(); err != nil {
		t.Fatalf("the turn: %v\n%s", err, out)
	}
	id, after := p.only(), p.tree()
	if len(after) < len(before)+3*n {
		t.Fatalf("the turn left %d files and folders", len(after))
	}
	undo := p.command("session", "undo", id)
	must(t, undo.Start())
	watched := filepath.Join(p.project, fmt.Sprintf("f%03d", at))
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if b, err := os.ReadFile(watched); err == nil && string(b) == "before\n" {
			break
		}
	}
	_ = undo.Process.Kill()
	killed := undo.Wait() != nil
	now := p.tree()
	for name, text := range now {
		if was, ok := before[name]; !(ok && text == was) && text != after[name] {
			t.Errorf("%s holds %q", name, text)
		}
	}
	for name, text := range before {
		if !strings.HasSuffix(name, "/") && now[name] != text && now[name] != after[name] {
			t.Errorf("%s holds %q", name, now[name])
		}
	}
	p.tells(id, at, !cmp.Equal(before, now) && !cmp.Equal(after, now))
	if diff := cmp.Diff(before, p.tree()); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
	if left, err := filepath.Glob(filepath.Join(p.project, ".belay", "journal", "*")); err != nil || len(left) > 0 {
		t.Errorf("there is still %v, %v", left, err)
	}
	undone := 0
	for _, line := range p.lines(filepath.Join(p.project, ".belay", "sessions", id, "transcript.jsonl")) {
		if strings.Contains(string(line), `"kind":"undo"`) {
			undone++
		}
	}
	if undone != 1 {
		t.Errorf("%d undos are on record, want 1", undone)
	}
	return killed
}

// tells runs the next command after an undo that was killed, and checks that it
// tells of that if the undo was half done. So does doctor, before.
func (p *place) tells(id string, at int, half bool) {
	p.t.Helper()
	const told = "was cut off by a crash. It is complete now."
	if half {
		out, err := p.command("doctor").CombinedOutput()
		if flat := strings.Join(strings.Fields(string(out)), " "); !strings.Contains(flat, "undo, begun ") {
			p.t.Errorf("doctor does not tell of the undo: %v\n%s", err, out)
		}
	}
	command := "undo"
	if at%2 == 1 {
		command = "changes"
	}
	out, err := p.command("session", command, id).CombinedOutput()
	switch flat := strings.Join(strings.Fields(string(out)), " "); {
	case half && (err != nil || !strings.Contains(flat, told)):
		p.t.Errorf("session %s does not tell of the undo that was killed: %v\n%s", command, err, out)
	case err != nil && !strings.Contains(string(out), "no turn of this session has changes"): // the first was on record
		p.t.Fatalf("session %s: %v\n%s", command, err, out)
	}
	if command == "changes" {
		if out, err := p.command("session", "undo", id).CombinedOutput(); err != nil && !strings.Contains(string(out), "no turn of this session has changes") {
			p.t.Fatalf("the next undo: %v\n%s", err, out)
		}
	}
}
