package shell

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
)

// withoutOverlay are machines on which the project can be read-only and nothing more.
var withoutOverlay = map[string]confine.Means{
	"Landlock alone":      {Namespaces: true},
	"no overlay":          {Overlay: true},
	"neither of the best": {Overlay: true, Landlock: true},
}

// prepared is a command that may say that it writes.
func prepared(t *testing.T, s *Shell, w *tool.Environment, text string, write bool) (tool.Call, permit.Effect) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"command": text, "write": write})
	must(t, err)
	c, err := s.Prepare(t.Context(), w, raw)
	must(t, err)
	return c, c.Effect()
}

// newProject is a place with files that no command may change.
func newProject(t *testing.T) (base string, w *tool.Environment) {
	t.Helper()
	base = tempDir(t)
	w = newPlace(t, base)
	for name, text := range map[string]string{
		"_STATUS.md": "state", "notes.md": "notes", ".git/config": cloned, ".git/HEAD": "ref: refs/heads/main\n",
		".git/objects/ab/x": "", ".git/refs/heads/config": "", "hooks/inner/.git/HEAD": "x",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(w.Project, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(w.Project, name), []byte(text), 0o644))
	}
	return base, w
}

// contents is what a project holds.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		must(t, err)
		text, err := os.ReadFile(path)
		must(t, err)
		all[strings.TrimPrefix(path, dir)] = info.Mode().String() + " " + string(text)
		return nil
	}))
	return all
}

// Where no overlay can be laid, a command that does not say that it writes cannot
// change the project, by no system call, and has its own HOME and TMPDIR. Nobody is
// asked about it, also in plan mode.
//
// Covers: turn-api REQ-04
func TestReadOnlyCommands(t *testing.T) {
	t.Parallel()
	asNobodyToo(t, "TestReadOnlyCommands")
	for name, without := range withoutOverlay {
		base, w := newProject(t)
		s := newShell(t, base, Options{Without: without, Network: confine.NetworkNone})
		before := contents(t, w.Project)
		c, e := prepared(t, s, w, `cat notes.md && echo x >"$HOME/own" && cp "$HOME/own" "$TMPDIR/own" && cat "$TMPDIR/own"`, false)
		if r := (permit.Policy{Mode: permit.Plan}).Judge(e); r.Outcome != permit.Allow || e.Writes {
			t.Errorf("%s: it is not allowed: %+v, %+v", name, r, e)
		}
		r, err := c.Run(t.Context())
		must(t, err)
		if r.Failed || !strings.HasPrefix(r.Text, "notesx\nexit code 0") {
			t.Errorf("%s: reading: %s", name, r.Text)
		}
		for _, text := range []string{
			"echo x >notes.md", "echo x >new", "rm notes.md", "mv notes.md other", "mkdir folder", "ln -s / link", "chmod 777 notes.md", "truncate -s 0 notes.md",
			`ln notes.md "$HOME/hard" && echo x >"$HOME/hard"`, "git config core.fsmonitor evil", "mv .git/HEAD .git/config",
			`sh -c 'exec 3<notes.md; echo x >/proc/self/fd/3'`, "setfattr -n user.x -v y notes.md",
		} {
			c, _ := prepared(t, s, w, text, false)
			r, err := c.Run(t.Context())
			must(t, err)
			if !r.Failed || !strings.Contains(r.Text, "say so with write") {
				t.Errorf("%s: %s: %s", name, text, r.Text)
			}
		}
		if after := contents(t, w.Project); !maps.Equal(before, after) {
			t.Errorf("%s: the project has changed: %v", name, after)
		}
	}
}

// A command that says that it writes is asked about, and changes the project. What it
// changes of the files that it may not is told, and goes to the audit log.
//
// Covers: turn-api REQ-04
func TestCommandsThatWrite(t *testing.T) {
	t.Parallel()
	asNobodyToo(t, "TestCommandsThatWrite")
	allowed, err := permit.ParseRules([]string{"bash"})
	must(t, err)
	for name, without := range withoutOverlay {
		for text, found := range map[string]string{
			"echo new >notes.md; rm -rf hooks":                                 "",
			"git config branch.main.remote other":                              "",
			"echo x >.git/refs/heads/config":                                   "",
			"chmod 600 _STATUS.md":                                             "",
			"echo mine >_STATUS.md":                                            "_STATUS.md",
			"rm _STATUS.md":                                                    "_STATUS.md",
			"mkdir -p a/b; echo x >a/b/_STATUS.md":                             "a/b/_STATUS.md",
			"git config core.fsmonitor evil":                                   ".git/config",
			"git config remote.origin.url ext::evil":                           ".git/config",
			"mkdir .git/hooks; echo evil >.git/hooks/pre-commit":               ".git/hooks/pre-commit",
			"ln -s /tmp .git/hooks":                                            ".git/hooks",
			"echo evil >.git/commondir":                                        ".git/commondir",
			"mkdir .git/objects/info; echo x >.git/objects/info/alternates":    ".git/objects/info/alternates",
			"echo gitdir: ../evil >hooks/.git":                                 "hooks/.git",
			"mkdir -p p/objects p/refs; echo x >p/HEAD; echo [x]y=z >p/config": "p/config",
			"mkdir shut; chmod 0 shut":                                         "?",
		} {
			base, w := newProject(t)
			s := newShell(t, base, Options{Without: without, Network: confine.NetworkNone})
			c, e := prepared(t, s, w, text, true)
			if !e.Writes || e.Deferred || e.Doubt != "" {
				t.Errorf("%s: %s: %+v", name, text, e)
			}
			r, err := c.Run(t.Context())
			must(t, err)
			if found == "?" {
				if os.Geteuid() == 0 {
					continue // root looks into every folder
				}
				if !strings.Contains(r.Overreach, "could not be compared") {
					t.Errorf("%s: %s: %q, %s", name, text, r.Overreach, r.Text)
				}
			} else if want := "changed what it may not: " + found; found != "" && (r.Overreach != want || !strings.Contains(r.Text, want) || !r.Failed) || found == "" && (r.Overreach != "" || r.Failed) {
				t.Errorf("%s: %s: %q, %s", name, text, r.Overreach, r.Text)
			}
			// The next one is asked about, also by another process and though a rule allows it.
			next := newShell(t, base, Options{Without: without, Network: confine.NetworkNone})
			_, e = prepared(t, next, w, "true", true)
			ruling := permit.Policy{Mode: permit.AcceptEdits, Allowed: allowed}.Judge(e)
			if doubted := ruling.Outcome == permit.Ask; doubted != (found != "") || doubted && !strings.Contains(ruling.Reason, strings.Trim(found, "?")) {
				t.Errorf("%s: after %s: %+v", name, text, ruling)
			}
			if found == "?" {
				must(t, os.Chmod(filepath.Join(w.Project, "shut"), 0o700)) //nolint:gosec // a folder
			}
		}
	}
}

// One who confirms the next command ends the doubt; nobody is asked about commands that
// only read meanwhile, and one that was prepared before the doubt is not run.
//
// Covers: turn-api REQ-04
func TestDoubtEndsWhenAPersonConfirms(t *testing.T) {
	t.Parallel()
	base, w := newProject(t)
	s := newShell(t, base, Options{Without: confine.Means{Namespaces: true}, Network: confine.NetworkNone})
	early, _ := prepared(t, s, w, "echo x >early", true)
	c, _ := prepared(t, s, w, "echo mine >_STATUS.md", true)
	_, err := c.Run(t.Context())
	must(t, err)
	if _, err := early.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "an earlier command changed what it may not: _STATUS.md") {
		t.Errorf("a command of which nobody knew that: %v", err)
	}
	if _, e := prepared(t, s, w, "cat notes.md", false); e.Doubt != "" {
		t.Errorf("reading is doubted: %s", e.Doubt)
	}
	c, e := prepared(t, s, w, "echo y >late", true)
	if e.Doubt == "" {
		t.Error("there is no doubt")
	}
	r, err := c.Run(t.Context())
	must(t, err)
	if r.Overreach != "" {
		t.Errorf("what was confirmed is told again: %s", r.Overreach)
	}
	if _, e := prepared(t, s, w, "true", true); e.Doubt != "" {
		t.Errorf("the doubt has not ended: %s", e.Doubt)
	}
	got := slices.Sorted(maps.Keys(contents(t, w.Project)))
	if slices.Contains(got, "/early") || !slices.Contains(got, "/late") {
		t.Errorf("the project holds %q", got)
	}
}

// What a command changed whose process died, or whose turn was interrupted, is found
// before the next one.
//
// Covers: turn-api REQ-04
func TestDoubtAboutACommandWithoutAnEnd(t *testing.T) {
	t.Parallel()
	base, w := newProject(t)
	o := Options{Without: confine.Means{Namespaces: true}, Network: confine.NetworkNone}
	s := newShell(t, base, o)
	before, err := look(t.Context(), w)
	must(t, err)
	must(t, s.keepWatched(w, watched{Before: before})) // as one does that begins
	if _, e := prepared(t, s, w, "true", true); e.Doubt != "" {
		t.Errorf("nothing has changed, and %s", e.Doubt)
	}
	must(t, os.WriteFile(filepath.Join(w.Project, "_STATUS.md"), []byte("mine"), 0o600))
	if _, e := prepared(t, s, w, "true", true); !strings.Contains(e.Doubt, "_STATUS.md") {
		t.Errorf("the doubt is %q", e.Doubt)
	}
	must(t, s.dropWatched(w))
	c, _ := prepared(t, s, w, "echo other >_STATUS.md; touch $TMPDIR/done; sleep 60", true)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(w.Scratch, "tmp", "done")); err == nil {
				return
			}
		}
	}()
	if _, err := c.Run(ctx); err == nil {
		t.Error("the interrupt is not told")
	}
	if _, e := prepared(t, s, w, "true", true); !strings.Contains(e.Doubt, "_STATUS.md") {
		t.Errorf("after an interrupt the doubt is %q", e.Doubt)
	}
	must(t, s.sweepWatched(func(string) bool { return false }))
	if _, e := prepared(t, s, w, "true", true); e.Doubt != "" {
		t.Errorf("the session is gone, and %s", e.Doubt)
	}
}

// A project that cannot be looked through is reported before a command changes it.
//
// Covers: turn-api REQ-04
func TestProjectsThatCannotBeCompared(t *testing.T) {
	t.Parallel()
	base, w := newProject(t)
	deep := w.Project
	for range maxComparedDepth + 1 {
		deep = filepath.Join(deep, "d")
	}
	must(t, os.MkdirAll(deep, 0o755))
	s := newShell(t, base, Options{Without: confine.Means{Namespaces: true}, Network: confine.NetworkNone})
	c, e := prepared(t, s, w, "echo x >new", true)
	if !strings.Contains(e.Doubt, "folders lie deeper than") {
		t.Errorf("the doubt is %q", e.Doubt)
	}
	r, err := c.Run(t.Context())
	must(t, err)
	if r.Failed || !strings.Contains(r.Text, "they could not be compared") {
		t.Errorf("%+v", r)
	}
	if _, e := prepared(t, s, w, "cat notes.md", false); !e.Deferred || e.Doubt != "" {
		t.Errorf("reading: %+v", e)
	}
}

// Where nothing holds a command, each is asked about whatever it says, and nothing is
// looked at or put back.
//
// Covers: turn-api REQ-04
func TestCommandsThatNothingHolds(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"switched off":     {Off: true},
		"the filter alone": {Without: confine.Means{Landlock: true, Namespaces: true}},
	} {
		base, w := newProject(t)
		s := newShell(t, base, o)
		for _, write := range []bool{false, true} {
			c, e := prepared(t, s, w, "echo mine >_STATUS.md", write)
			if r := (permit.Policy{Mode: permit.AcceptEdits}).Judge(e); r.Outcome != permit.Ask || e.Deferred {
				t.Errorf("%s: %+v", name, r)
			}
			r, err := c.Run(t.Context())
			must(t, err)
			if text, err := os.ReadFile(filepath.Join(w.Project, "_STATUS.md")); string(text) != "mine\n" || r.Failed {
				t.Errorf("%s: _STATUS.md is %q, %v: %s", name, text, err, r.Text)
			}
		}
		if left, err := os.ReadDir(filepath.Join(base, "state", dirWatched)); err == nil {
			t.Errorf("%s: %v is kept", name, left)
		}
	}
}

// asNobodyToo runs a test as an ordinary user as well, where root runs it.
func asNobodyToo(t *testing.T, test string) {
	t.Helper()
	if os.Geteuid() == 0 {
		testAsNobody(t, test)
	}
}
