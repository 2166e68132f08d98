package overlay_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/journal"
	"belay/internal/tool/shell/confine"
	_ "belay/internal/tool/shell/confine/supervisor"
	"belay/internal/tool/shell/overlay"
)

func TestMain(m *testing.M) { os.Exit(m.Run()) }

// commands are what is done to a project in [TestApplied].
var commands = map[string]string{
	"nothing":                      `cat a; ls -R; git status 2>/dev/null; touch a; exec 3>>b; true`,
	"new files":                    `echo x >new; mkdir -p d/e/f; echo y >d/e/f/g; : >empty`,
	"replaced files":               `echo x >a; echo y >>b; sed -i s/3/4/ sub/c`,
	"removed files":                `rm a sub/c`,
	"a removed folder":             `rm -r sub`,
	"a folder made again":          `rm -r sub; mkdir sub; echo n >sub/new`,
	"a folder made again, partly":  `rm -r sub; mkdir -p sub/deep; echo 3 >sub/c; echo n >sub/deep/x`,
	"a file for a folder":          `rm -r sub; echo x >sub`,
	"a folder for a file":          `rm a; mkdir a; echo x >a/x`,
	"links":                        `ln -s a l; ln -sfn sub to-a; rm a; ln -s b a`,
	"a file for a link":            `rm to-a; echo x >to-a`,
	"permissions":                  `chmod 755 a; chmod 700 sub; chmod 440 b`,
	"a closed file":                `echo x >closed; chmod 422 closed`,
	"moved files":                  `mv a moved; mv sub/c sub/d`,
	"a moved folder":               `mv sub moved`,
	"a folder moved into another":  `mkdir n; mv sub n/; echo x >n/sub/c`,
	"a moved new folder":           `mkdir n; echo x >n/x; mv n m`,
	"names":                        `echo x >"$(printf 'a\nb')"; echo x >"$(printf 'c\377d')"; echo x >'-rf *'`,
	"hard links":                   `ln a hard; echo more >>hard`,
	"a folder with another's name": `mv b sub/b; mkdir b`,
	"many files":                   `mkdir many; for i in $(seq 300); do echo $i >many/$i; done; rm many/1*`,
}

// fill makes a project.
func fill(t testing.TB, dir string) {
	t.Helper()
	for name, text := range map[string]string{"a": "1\n", "b": "2\n", "sub/c": "3\n", "sub/deep/d": "4\n", "sub/deep/.hidden": "5\n"} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	must(t, os.Symlink("a", filepath.Join(dir, "to-a")))
}

// What a command does in an overlay, and is then applied, is what it does without one.
func TestApplied(t *testing.T) {
	t.Parallel()
	for name, text := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			bare := filepath.Join(p.dir, "bare")
			must(t, os.Mkdir(bare, 0o755))
			fill(t, bare)
			fill(t, p.project)
			before := tree(t, p.project)
			cmd := exec.CommandContext(t.Context(), "bash", "-c", text)
			cmd.Dir = bare
			_ = cmd.Run() // some commands fail, in both

			set := p.run(t, text)
			if got := tree(t, p.project); got != before {
				t.Fatalf("the command changed the project:\n%s", got)
			}
			if len(set.Conflicts)+len(set.Dropped) > 0 {
				t.Errorf("conflicts %v, dropped %v", set.Conflicts, set.Dropped)
			}
			if name == "nothing" && len(set.Changes) > 0 {
				t.Errorf("a command that only looked changed %v", set.Changes)
			}
			p.apply(t, set)
			if got, want := tree(t, p.project), tree(t, bare); got != want {
				t.Errorf("applied:\n%s\nwithout an overlay:\n%s", got, want)
			}
			p.remove(t)
			if left, err := os.ReadDir(filepath.Join(p.project, ".belay/tmp")); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// Devices, pipes and set-id bits are dropped and reported.
func TestDropped(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	fill(t, p.project)
	set := p.run(t, `mkfifo pipe; cp a s; chmod 4755 s; mkdir .belay/x 2>/dev/null; echo x >ok`)
	var dropped []string
	for _, d := range set.Dropped {
		dropped = append(dropped, d.Path)
	}
	if got := strings.Join(dropped, " "); got != "pipe s" {
		t.Errorf("dropped: %s", got)
	}
	p.apply(t, set)
	if got := tree(t, p.project); !strings.Contains(got, "s -rwxr-xr-x") || !strings.Contains(got, "ok ") || strings.Contains(got, "pipe") {
		t.Errorf("applied:\n%s", got)
	}
}

// Permissions that are not applied are reported, once.
func TestPermissionsThatAreNotApplied(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`mkdir shut; echo x >shut/x; chmod 555 shut`: "shut stays open to its owner, whatever permissions the command gave it",
		`mkdir d e d/f; chmod 500 d/f d e`:           "d stays open to its owner, whatever permissions the command gave it; of the new folders that is so with 3",
		`chmod 700 .; echo x >x`:                     ". is the project's own folder: its permissions stay as they are",
		`mkdir open; chmod 750 open; chmod 500 sub`:  "",
	} {
		p := newPlace(t)
		fill(t, p.project)
		set := p.run(t, text)
		var got []string
		for _, d := range set.Dropped {
			got = append(got, d.Path+" "+d.Reason)
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		p.remove(t)
	}
}

// What somebody else changes while a command runs is a conflict where the command
// changed it as well.
func TestConflicts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	fill(t, p.project)
	p.meanwhile = func() {
		must(t, os.WriteFile(filepath.Join(p.project, "a"), []byte("a person's"), 0o644))
		must(t, os.Remove(filepath.Join(p.project, "b")))
		must(t, os.WriteFile(filepath.Join(p.project, "sub/c"), []byte("a person's"), 0o644))
	}
	set := p.run(t, `echo x >>a; echo x >>b; echo ready >$HOME/ready; until [ -e $HOME/go ]; do sleep 0.01; done; rm a; echo y >sub/deep/d`)
	if got := strings.Join(set.Conflicts, " "); got != "a b" {
		t.Errorf("conflicts: %s", got)
	}
}

// place is a project and what runs commands in it.
type place struct {
	dir, project string
	root         *os.Root
	upper        *overlay.Upper
	runner       *confine.Runner
	// meanwhile is done while a command runs that says when it is ready.
	meanwhile func()
	// made is called with a new upper directory.
	made func(*overlay.Upper)
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	p := &place{dir: dir, project: filepath.Join(dir, "project"), runner: confine.New(confine.Options{Env: confine.Environment(os.Environ(), nil)})}
	must(t, os.Mkdir(p.project, 0o755))
	if found, err := p.runner.Report(t.Context()); err != nil || !found.Overlay {
		t.Fatalf("no overlay: %v, %v", found.Reasons, err)
	}
	p.root, err = os.OpenRoot(p.project)
	must(t, err)
	t.Cleanup(func() {
		p.remove(t)
		must(t, p.root.Close())
	})
	return p
}

func (p *place) remove(t *testing.T) {
	t.Helper()
	if p.upper != nil {
		must(t, p.upper.Remove())
	}
	p.upper = nil
}

// run runs a command in an overlay.
func (p *place) run(t *testing.T, text string) overlay.Set {
	t.Helper()
	var err error
	p.upper, err = overlay.Make(p.root)
	must(t, err)
	if p.made != nil {
		p.made(p.upper)
	}
	c := confine.Command{
		Text: text, Dir: p.project, Project: p.project, Scratch: filepath.Join(p.dir, "scratch"),
		Masked: []string{filepath.Join(p.project, ".belay")}, Time: 5 * time.Minute, OutputBytes: 1 << 10,
	}
	c.Upper, c.Work = p.upper.Folders()
	home := filepath.Join(c.Scratch, "home")
	if p.meanwhile != nil {
		go func() {
			for _, err := os.Stat(filepath.Join(home, "ready")); err != nil; _, err = os.Stat(filepath.Join(home, "ready")) {
				time.Sleep(time.Millisecond)
			}
			p.meanwhile()
			_ = os.WriteFile(filepath.Join(home, "go"), nil, 0o600)
		}()
	}
	_, err = p.runner.Run(t.Context(), c)
	must(t, err)
	set, err := p.upper.Changes(t.Context())
	must(t, err)
	return set
}

// apply makes the changes in the project.
func (p *place) apply(t *testing.T, set overlay.Set) {
	t.Helper()
	if len(set.Changes) == 0 {
		return
	}
	j, err := journal.New(filepath.Join(p.dir, "state", "journal"), nil).Open(t.Context(), p.project, p.root)
	must(t, err)
	defer func() { must(t, j.Close()) }()
	tx, err := j.Begin(journal.Plan{Owner: journal.Owner{What: "bash"}, Changes: set.Changes, Inside: true})
	must(t, err)
	must(t, tx.Prepare())
	must(t, tx.Apply(t.Context()))
	tx.Done()
}

// tree is everything in a folder but for belay's own, as text.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if name == ".belay" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%q %v ", name, info.Mode())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%q %v", data, err != nil)
		case info.Mode().Type() == fs.ModeSymlink:
			target, _ := os.Readlink(path)
			b.WriteString(target)
		}
		b.WriteByte('\n')
		return nil
	}))
	return strings.ReplaceAll(b.String(), `"`, "")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What Git does in an overlay is a whole repository when it is applied, and a look at
// one is no change.
func TestRepository(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	fill(t, p.project)
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", p.project, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	git("add", "a", "sub")
	git("commit", "-q", "-m", "first")
	must(t, os.Chtimes(filepath.Join(p.project, "a"), time.Time{}, time.Now()))
	set := p.run(t, `git status; git log; git diff`)
	// Git may note the files' times in its index anew; anyone who reviews leaves that out.
	set.Changes = slices.DeleteFunc(set.Changes, func(c journal.Change) bool { return c.Path == ".git/index" })
	if len(set.Changes) > 0 {
		t.Errorf("looking changed %v", set.Changes)
	}
	p.remove(t)
	set = p.run(t, `echo more >>a && git add -A && git -c user.name=B -c user.email=b@example.com commit -q -m second && git branch topic && git gc -q`)
	p.apply(t, set)
	if got := git("log", "--format=%s %an", "topic"); got != "second B\nfirst A\n" {
		t.Errorf("the log is\n%s", got)
	}
	if got := git("status", "--porcelain"); got != "" {
		t.Errorf("the status is\n%s", got)
	}
	git("fsck", "--strict")
}

// What is more than can be reviewed is an error that says so.
func TestTooMany(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var err error
	p.upper, err = overlay.Make(p.root)
	must(t, err)
	upper, _ := p.upper.Folders()
	long := strings.Repeat("d", 250)
	dir := filepath.Join(p.project, upper, strings.Repeat(long+"/", 10))
	must(t, os.MkdirAll(dir, 0o700))
	for i := range 4000 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600))
	}
	var many *overlay.TooManyError
	if _, err := p.upper.Changes(t.Context()); !errors.As(err, &many) {
		t.Errorf("4,000 names of 2,500 bytes: %v", err)
	}
}

// So is what is deeper than a path can name.
func TestTooDeep(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var err error
	p.upper, err = overlay.Make(p.root)
	must(t, err)
	upper, _ := p.upper.Folders()
	must(t, p.root.MkdirAll(upper+strings.Repeat("/d", 2500), 0o700))
	var many *overlay.TooManyError
	if _, err := p.upper.Changes(t.Context()); !errors.As(err, &many) {
		t.Errorf("2,500 folders in each other: %v", err)
	}
}
