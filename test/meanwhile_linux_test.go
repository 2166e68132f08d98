package test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// works is a script whose command changes files, waits, and changes more of them.
const works = `turns:
  - when: go
    steps:
      - call:
          name: bash
          input:
            command: |
              echo 'of the command' >> early/file; echo new > early/new
              touch $TMPDIR/ready; until [ -e $TMPDIR/go ]; do sleep 0.01; done
              echo 'of the command' >> late/file; echo new > late/new; true
      - say: Done.
`

// A person works in the project while a command does. What the person did is never lost:
// what the command changed is then kept for them, or the turn ends with an error that
// says why. Nothing is left mounted or running.
//
// Covers: turn-api REQ-04, workspace 9.5
func TestAPersonWorksMeanwhile(t *testing.T) {
	t.Parallel()
	const (
		kept    = "was changed by something else meanwhile"
		applied = "changed early/file, early/new"
		gone    = "the session's folder was moved or removed in the meantime"
	)
	for name, test := range map[string]struct {
		// does runs in the project, as a person.
		does string
		said string
		// holds are files of the project, or beside it, with their contents; "" is none.
		holds map[string]string
	}{
		"nothing":                  {"true", applied, map[string]string{"early/file": "one\nof the command\n", "late/new": "new\n"}},
		"an edit elsewhere":        {"echo mine >other", applied, map[string]string{"other": "mine\n", "late/file": "one\nof the command\n"}},
		"an edit of the same file": {"echo mine >early/file", kept, map[string]string{"early/file": "mine\n", "late/file": "one\n", "early/new": ""}},
		"an edit of the next file": {"echo mine >late/file", kept, map[string]string{"late/file": "mine\n", "early/new": ""}},
		"the same new file":        {"echo mine >early/new", kept, map[string]string{"early/new": "mine\n", "early/file": "one\n"}},
		"git checkout":             {"git checkout -q two", kept, map[string]string{"early/file": "two\n", "late/file": "two\n", "late/new": ""}},
		"a removed file":           {"rm early/file", kept, map[string]string{"early/file": "", "early/new": ""}},
		"a removed folder":         {"rm -r early", kept, map[string]string{"early": "", "late/file": "one\n"}},
		"a removed folder, later":  {"rm -r late", applied, map[string]string{"late": "", "early/new": "new\n"}},
		"a renamed folder":         {"mv early else", kept, map[string]string{"early": "", "else/file": "one\n", "else/new": ""}},
		"git mv of a folder":       {"git mv early else", kept, map[string]string{"early": "", "else/file": "one\n", "else/new": ""}},
		"another folder":           {"mv early else; mkdir early; echo mine >early/file", kept, map[string]string{"early/file": "mine\n", "early/new": ""}},
		"an older folder":          {"mv early else; mv late early", kept, map[string]string{"early/file": "one\n", "early/new": "", "else/file": "one\n"}},
		"a file for a folder":      {"rm -r early; echo mine >early", kept, map[string]string{"early": "mine\n"}},
		"a commit of all":          {"git commit -q --allow-empty -m mine", applied, map[string]string{"early/new": "new\n"}},
		"git clean -fdx":           {"git clean -fdxq", gone, map[string]string{"early/file": "one\n", "early/new": "", "late/new": ""}},
		"a moved project":          {"mv $PWD $PWD.moved", gone, map[string]string{"../project": "", "../project.moved/early/file": "one\n", "../project.moved/early/new": ""}},
		"another project":          {"mv $PWD $PWD.moved; mkdir -p $PWD/early; echo mine >$PWD/early/file", gone, map[string]string{"early/file": "mine\n", "early/new": "", ".belay/blobs": "", "../project.moved/early/file": "one\n"}},
		"a removed project":        {"rm -rf $PWD", gone, map[string]string{"../project": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.project = filepath.Join(p.project, "project")
			for _, file := range []string{"early/file", "late/file"} {
				must(t, os.MkdirAll(filepath.Join(p.project, filepath.Dir(file)), 0o755))
				p.file(file, "one\n")
			}
			person := func(text string) {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "sh", "-c", text)
				cmd.Dir = p.project
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", text, err, out)
				}
			}
			person("git init -q -b main && git add . && git commit -qm one && git checkout -qb two && echo two >early/file && echo two >late/file && git commit -qam two && git checkout -q main")
			p.scripted(works)
			var said bytes.Buffer
			turn := p.command("turn", "--mode", "acceptEdits", "go")
			turn.Stderr = &said
			must(t, turn.Start())
			t.Cleanup(func() { _ = turn.Process.Kill() })
			temp := p.await("ready")
			person(test.does)
			must(t, os.WriteFile(filepath.Join(temp, "go"), nil, 0o600))
			end := time.AfterFunc(patience, func() { _ = turn.Process.Kill() })
			defer end.Stop()
			if err := turn.Wait(); (err != nil) != (test.said == gone) {
				t.Errorf("the turn ended with %v", err)
			}
			if !strings.Contains(strings.Join(strings.Fields(said.String()), " "), test.said) {
				t.Errorf("it does not say %q:\n%s", test.said, &said)
			}
			for file, want := range test.holds {
				path := filepath.Join(p.project, file)
				if _, err := os.Lstat(path); want == "" && !os.IsNotExist(err) {
					t.Errorf("%s is there (%v)", file, err)
				} else if got, err := os.ReadFile(path); want != "" && string(got) != want {
					t.Errorf("%s holds %q (%v), not %q", file, got, err, want)
				}
			}
			p.checkNothingLeft()
		})
	}
}

// checkNothingLeft looks for mounts and processes in the place's folders, and for what
// commands leave in the project.
func (p *place) checkNothingLeft() {
	p.t.Helper()
	base := filepath.Dir(p.project)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	must(p.t, err)
	if strings.Contains(string(mounts), base) {
		p.t.Error("something is left mounted")
	}
	all, err := filepath.Glob("/proc/[0-9]*/cwd")
	must(p.t, err)
	for _, cwd := range all {
		if dir, err := os.Readlink(cwd); err == nil && strings.HasPrefix(dir, base) {
			p.t.Errorf("a process still runs in %s", dir)
		}
	}
	for _, project := range []string{p.project, p.project + ".moved"} {
		if left, err := filepath.Glob(filepath.Join(project, ".belay", "tmp", "*")); err != nil || len(left) > 0 {
			p.t.Errorf("left: %v, %v", left, err)
		}
	}
}
