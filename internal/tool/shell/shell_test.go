package shell

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
)

// Covers: turn-api REQ-04
func TestResult(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in        input
		want      []string // in this order
		failed    bool
		truncated bool
	}{
		"both streams in order": {in: input{Command: "echo a; echo b >&2; echo c"}, want: []string{"a\nb\nc\nexit code 0 after "}},
		"failure":               {in: input{Command: "echo why; exit 3"}, want: []string{"why\nexit code 3 after "}, failed: true},
		"signal":                {in: input{Command: "kill -SEGV $$"}, want: []string{"ended by SIGSEGV after "}, failed: true},
		"deadline":              {in: input{Command: "echo a; sleep 60", TimeoutMS: 5_000}, want: []string{"a\nended after ", "its time of 5s ran out"}, failed: true},
		"flood": {
			in: input{Command: "yes first | head -n 100000; echo last"}, truncated: true,
			want: []string{"first\n", "bytes of output left out", "last\nexit code 0"},
		},
		"no UTF-8":    {in: input{Command: `printf 'a\377b'`}, want: []string{"a\uFFFDb\nexit code 0"}},
		"left behind": {in: input{Command: "sleep 60 & echo ok"}, want: []string{"ok\nexit code 0", "1 of its processes still ran"}},
		"folder":      {in: input{Command: "pwd", Dir: "sub"}, want: []string{"/project/sub\nexit code 0"}},
		"scratch":     {in: input{Command: `cd "$HOME" && pwd`}, want: []string{"/scratch/home\nexit code 0"}},
		"protected": {
			in:   input{Command: "echo mine >_STATUS.md; echo ok"},
			want: []string{"ok\nexit code 0", "_STATUS.md was not changed: it is protected"},
		},
		"reads the terminal": {in: input{Command: "read -r line; echo got:$line; head -c1 /dev/tty"}, want: []string{"got:\n"}, failed: true},
		"removes its folder": {in: input{Command: `rm -rf "$PWD"; ls`, Dir: "sub"}, want: []string{"exit code"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := tempDir(t)
			w, s := newPlace(t, base), shared
			for p, text := range map[string]string{"_STATUS.md": "state", "sub/x": "x"} {
				must(t, os.MkdirAll(filepath.Dir(filepath.Join(w.Project, p)), 0o755))
				must(t, os.WriteFile(filepath.Join(w.Project, p), []byte(text), 0o644))
			}
			r, err := callShell(t, s, w, test.in)
			if err != nil {
				t.Fatal(err)
			}
			rest := r.Text
			for _, part := range test.want {
				_, after, ok := strings.Cut(rest, part)
				if !ok {
					t.Errorf("%q is not in, or not in order:\n%.2000s", part, r.Text)
				}
				rest = after
			}
			if r.Failed != test.failed || r.Truncated != test.truncated || int64(len(r.Text)) > w.Limits.OutputBytes {
				t.Errorf("failed %v, truncated %v, %d bytes: %.500s", r.Failed, r.Truncated, len(r.Text), r.Text)
			}
			if text, err := os.ReadFile(filepath.Join(w.Project, "_STATUS.md")); err != nil || string(text) != "state" {
				t.Errorf("_STATUS.md is %q: %v", text, err)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Covers: turn-api REQ-04
func TestChangesAreNoted(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w, s := newPlace(t, base), shared
	must(t, os.WriteFile(filepath.Join(w.Project, "a"), []byte("old"), 0o644))
	w.Seen.Note("a", "hash")
	if _, err := callShell(t, s, w, input{Command: "echo new >a; echo b >b; echo x >_STATUS.md"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range w.Ledger.Take() {
		line := c.Path
		if c.Restored {
			line += " restored"
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"_STATUS.md restored", "a", "b"}, got); diff != "" {
		t.Error(diff)
	}
	if w.Seen.SHA256("a") != "" {
		t.Error("the model is still taken to know what a holds")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w, s := newPlace(t, base), shared
	must(t, os.MkdirAll(filepath.Join(w.Project, ".belay"), 0o755))
	must(t, os.WriteFile(filepath.Join(w.Project, "file"), nil, 0o644))
	must(t, os.Symlink("/etc", filepath.Join(w.Project, "out")))
	for name, test := range map[string]struct {
		in   input
		want string
	}{
		"blank":           {input{Command: " \n"}, "blank"},
		"NUL":             {input{Command: "a\x00b"}, "NUL"},
		"long":            {input{Command: strings.Repeat("x", maxCommandBytes+1)}, "the most"},
		"time":            {input{Command: "true", TimeoutMS: w.Limits.CommandTimeMost.Milliseconds() + 1}, "is the most"},
		"outside":         {input{Command: "true", Dir: "../x"}, "not in the project"},
		"absolute":        {input{Command: "true", Dir: "/etc"}, "not in the project"},
		"link outside":    {input{Command: "true", Dir: "out"}, "cannot be used"},
		"records":         {input{Command: "true", Dir: ".belay"}, "does not exist"},
		"missing":         {input{Command: "true", Dir: "none"}, "does not exist"},
		"a file":          {input{Command: "true", Dir: "file"}, "not a folder"},
		"beside, by name": {input{Command: "true", Dir: w.Project + "2"}, "not in the project"},
	} {
		_, err := callShell(t, s, w, test.in)
		if _, ok := tool.AsRefusal(err); !ok || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func TestEffect(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w, s := newPlace(t, base), newShell(t, base, Options{Off: true})
	must(t, os.Mkdir(filepath.Join(w.Project, "sub"), 0o755))
	c, err := s.Prepare(t.Context(), w, json.RawMessage(`{"command":"git status && curl x\ntrue","dir":"sub","description":"look"}`))
	must(t, err)
	e := c.Effect()
	if e.Tool != "bash" || e.Kind != permit.Execute || e.Command != "git status && curl x\ntrue" || e.Dir != "sub" ||
		e.Summary != "git status && curl x …" || !e.Unconfined || !e.Network || len(e.Commands) != 3 {
		t.Errorf("%+v", e)
	}
}

// The files that redirections write are told, from the project on; one that only the
// run knows, as it is written.
func TestEffectOfRedirections(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w, s := newPlace(t, base), newShell(t, base, Options{Off: true})
	must(t, os.Mkdir(filepath.Join(w.Project, "sub"), 0o755))
	c, err := s.Prepare(t.Context(), w, json.RawMessage(`{"command":"wc a.md > 'out put.txt' 2>> ../err.log; sort <b.md >$TO 2>/dev/null; cat <<E > /etc/hosts\nx\nE\necho x >>\"out put.txt\"","dir":"sub"}`))
	must(t, err)
	if got, want := c.Effect().Paths, []string{"sub/out put.txt", "err.log", "$TO", "/etc/hosts"}; !slices.Equal(got, want) {
		t.Errorf("the files are %q, want %q", got, want)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	if _, err := tool.NewSet(New(Options{})); err != nil {
		t.Error(err)
	}
}

func TestInterruptedCall(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w, s := newPlace(t, base), shared
	must(t, os.WriteFile(filepath.Join(w.Project, "_STATUS.md"), []byte("state"), 0o644))
	c, err := s.Prepare(t.Context(), w, json.RawMessage(`{"command":"echo mine >_STATUS.md; echo x >began; touch $TMPDIR/done; sleep 60"}`))
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(w.Scratch, "tmp", "done")); err == nil {
				return
			}
		}
	}()
	if _, err := c.Run(ctx); err == nil || ctx.Err() == nil {
		t.Errorf("the interrupt is not told: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(w.Project, "_STATUS.md")); err != nil || string(text) != "state" {
		t.Errorf("_STATUS.md is %q: %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(w.Project, "began")); err == nil || len(w.Ledger.Take()) != 0 {
		t.Error("a command that was interrupted changed something")
	}
}

// zoned is a scope whose files have parts that belong to people, new files too.
type zoned struct{ guard }

func (zoned) HasZones(string) bool { return true }

func (zoned) KeepsZones(p string, before, after []byte) error {
	if strings.Contains(string(after), "HUMAN") != strings.Contains(string(before), "HUMAN") {
		return errors.New(p + " has a part that belongs to people")
	}
	return nil
}

// A command changes no part of a file that belongs to people, and makes none.
func TestZonesOfCommands(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	w.Scope = zoned{}
	must(t, os.WriteFile(filepath.Join(w.Project, "old"), []byte("HUMAN"), 0o644))
	if _, err := callShell(t, shared, w, input{Command: "echo x >old; echo HUMAN >new; echo x >fine"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"old": "HUMAN", "new": "", "fine": "x\n"} {
		if got, err := os.ReadFile(filepath.Join(w.Project, name)); string(got) != want {
			t.Errorf("%s holds %q (%v), not %q", name, got, err, want)
		}
	}
}

// scoped is a scope that a folder is not in.
type scoped struct{ guard }

func (scoped) Allows(p string, _ bool) error {
	if strings.HasPrefix(p, "theirs") {
		return errors.New(p + " is outside the write scope")
	}
	return nil
}

// The permissions of a folder are a change like another: the write scope holds for it.
func TestScopeOfFolders(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	w.Scope = scoped{}
	for _, folder := range []string{"ours", "theirs"} {
		must(t, os.Mkdir(filepath.Join(w.Project, folder), 0o755))
	}
	r, err := callShell(t, shared, w, input{Command: "chmod 700 ours theirs; echo x >ours/a"})
	must(t, err)
	if !strings.Contains(r.Text, "theirs was not changed: it is outside the write scope") {
		t.Errorf("the result is %q", r.Text)
	}
	for folder, want := range map[string]os.FileMode{"ours": 0o700, "theirs": 0o755} {
		if info, err := os.Stat(filepath.Join(w.Project, folder)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has %v (%v), want %v: %s", folder, info.Mode(), err, want, r.Text)
		}
	}
}

// The model learns why processes of its command are gone.
func TestResultOfACommandWithoutMemory(t *testing.T) {
	t.Parallel()
	c := &call{environment: newPlace(t, tempDir(t))}
	for _, starved := range []bool{true, false} {
		text := c.result(confine.Outcome{ExitCode: 137, Starved: starved}, nil).Text
		if !strings.Contains(text, "exit code 137") || strings.Contains(text, "more memory than they may (bash.memory_bytes)") != starved {
			t.Errorf("starved %v: %s", starved, text)
		}
	}
}
