package kept_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
	"belay/internal/tool/shell/overlay"
)

// holder makes a run of this test a process that has a change, until its input ends.
const holder = "KEPT_TEST_HOLD"

func TestMain(m *testing.M) {
	if project := os.Getenv(holder); project != "" {
		os.Exit(holdUntilEOF(project))
	}
	goleak.VerifyTestMain(m)
}

func holdUntilEOF(project string) int {
	root, err := os.OpenRoot(project)
	if err != nil {
		return 1
	}
	c, err := kept.Open(root, id(1))
	if err != nil {
		return 2
	}
	_, _ = os.Stdout.WriteString("held\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if c.Close() != nil {
		return 3
	}
	return 0
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func id(n int) string { return "chg_000000000000000" + string(rune('0'+n)) }

func open(t testing.TB) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, root.Close()) })
	return root
}

// hold keeps what a command makes of files; after each name is its content.
func hold(t testing.TB, root *os.Root, n int, files ...string) *kept.Change {
	t.Helper()
	upper, err := overlay.Make(root)
	must(t, err)
	dir, _ := upper.Folders()
	dir = filepath.Join(root.Name(), dir)
	for i := 0; i < len(files); i += 2 {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, files[i])), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644))
	}
	set, err := upper.Changes(t.Context())
	must(t, err)
	c, err := kept.Hold(root, upper, kept.Record{
		ID: id(n), Created: time.Unix(int64(10-n), 0).UTC(), Origin: tool.Origin{SessionID: "s", TurnID: "t", CallID: "c"},
		Why: "nobody answered", Changes: set.Changes, Result: kept.Result{Text: "exit code 0"},
	})
	must(t, err)
	return c
}

func names(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// A change is held, taken up by one at a time, and gone when it was removed.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	root := open(t)
	odd := "two\nlines\t\u202e\xff.txt"
	c := hold(t, root, 1, "sub/"+odd, "content\n")
	if left := names(t, filepath.Join(root.Name(), ".belay/tmp")); left != "" {
		t.Errorf("left %q", left)
	}
	for what, f := range map[string]func() error{
		"open": func() error { _, err := kept.Open(root, id(1)); return err },
		"drop": func() error { return kept.Drop(root, id(1)) },
	} {
		if err := f(); !errors.Is(err, kept.ErrBusy) {
			t.Errorf("%s a change that is held: %v", what, err)
		}
	}
	look, err := kept.Look(root, id(1))
	if err != nil || look.Why != "nobody answered" {
		t.Errorf("%+v, %v", look, err)
	}
	r := c.Record
	r.Why = "something else changed it"
	must(t, c.Update(r))
	must(t, c.Close())
	must(t, c.Close())

	c, err = kept.Open(root, id(1))
	must(t, err)
	if c.Why != "something else changed it" || len(c.Changes) != 2 || string(c.Changes[1].Path) != "sub/"+odd {
		t.Errorf("%+v", c.Record)
	}
	must(t, c.Check(t.Context(), c.Changes))
	f, err := c.Changes[1].Content()
	must(t, err)
	if data, err := io.ReadAll(f); err != nil || string(data) != "content\n" {
		t.Errorf("%q, %v", data, err)
	}
	must(t, f.Close())
	must(t, c.Leave(c.Changes[:1]))
	must(t, c.Close())
	if look, err = kept.Look(root, id(1)); err != nil || len(look.Changes) != 1 {
		t.Errorf("%+v, %v", look, err)
	}
	must(t, kept.Drop(root, id(1)))
	for what, f := range map[string]func() error{
		"open": func() error { _, err := kept.Open(root, id(1)); return err },
		"look": func() error { _, err := kept.Look(root, id(1)); return err },
		"drop": func() error { return kept.Drop(root, id(1)) },
		"name": func() error { return kept.Drop(root, "../../x") },
	} {
		if err := f(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s a change that is gone: %v", what, err)
		}
	}
	if left := names(t, filepath.Join(root.Name(), ".belay/changes")); left != "" {
		t.Errorf("left %q", left)
	}
}

// The lock holds between processes, and dies with its process.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	root := open(t)
	must(t, hold(t, root, 1, "a", "a").Close())
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), holder+"="+root.Name())
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil || said != "held\n" {
		t.Fatalf("%q, %v", said, err)
	}
	if _, err := kept.Open(root, id(1)); !errors.Is(err, kept.ErrBusy) {
		t.Errorf("open what another process has: %v", err)
	}
	must(t, kept.Sweep(root))
	must(t, cmd.Process.Kill())
	_ = in.Close()
	_ = cmd.Wait() // it was killed
	c, err := kept.Open(root, id(1))
	must(t, err)
	must(t, c.Remove())
}

// What cannot be read is listed by its id after the others, and can be dropped. One of
// a newer version is left alone.
func TestDamaged(t *testing.T) {
	t.Parallel()
	root := open(t)
	for n := 1; n <= 5; n++ {
		must(t, hold(t, root, n, "a", "a").Close())
	}
	record := func(n int) string { return filepath.Join(root.Name(), ".belay/changes", id(n), "record.json") }
	must(t, os.WriteFile(record(2), []byte("{torn"), 0o600))
	must(t, os.WriteFile(record(3), []byte(`{"v":99}`), 0o600))
	other, err := os.ReadFile(record(1))
	must(t, err)
	must(t, os.WriteFile(record(4), other, 0o600))
	all, err := kept.List(root)
	must(t, err)
	var ids []string
	for _, l := range all {
		ids = append(ids, l.ID)
		if n := l.ID[len(l.ID)-1]; (l.Err == nil) != (n == '1' || n == '5') {
			t.Errorf("%s: %v", l.ID, l.Err)
		}
	}
	if got, want := strings.Join(ids, " "), strings.Join([]string{id(5), id(1), id(2), id(3), id(4)}, " "); got != want {
		t.Errorf("listed %s, not %s", got, want)
	}
	newer := (*durable.NewerError)(nil)
	if _, err := kept.Open(root, id(3)); !errors.As(err, &newer) {
		t.Errorf("open a newer one: %v", err)
	}
	if err := kept.Drop(root, id(3)); !errors.As(err, &newer) {
		t.Errorf("drop a newer one: %v", err)
	}
	for _, n := range []int{2, 4} {
		if _, err := kept.Open(root, id(n)); err == nil {
			t.Errorf("%d was opened", n)
		}
		must(t, kept.Drop(root, id(n)))
	}

	for _, n := range []int{1, 5} {
		c, err := kept.Open(root, id(n))
		must(t, err)
		content := filepath.Join(root.Name(), ".belay/changes", id(n), "files/a")
		if n == 1 {
			must(t, os.WriteFile(content, []byte("b"), 0o600))
		} else {
			must(t, os.Remove(content))
		}
		damaged := (*journal.ContentError)(nil)
		if err := c.Check(t.Context(), c.Changes); !errors.As(err, &damaged) || damaged.Path != "a" {
			t.Errorf("%d: %v", n, err)
		}
		must(t, c.Remove())
	}
	if left, want := names(t, filepath.Join(root.Name(), ".belay/changes")), id(3)+" "+id(3)+".lock"; left != want {
		t.Errorf("left %q, not %q", left, want)
	}
}

// A record may come with the project. What no command can have changed is damaged.
func TestForged(t *testing.T) {
	t.Parallel()
	root := open(t)
	must(t, hold(t, root, 1, "a", "a").Close())
	record := filepath.Join(root.Name(), ".belay/changes", id(1), "record.json")
	genuine, err := os.ReadFile(record)
	must(t, err)
	var r map[string]any
	for name, forge := range map[string]func(change map[string]any){
		"an absolute path":      func(c map[string]any) { c["path"] = "/etc/passwd" },
		"the root":              func(c map[string]any) { c["path"] = "/" },
		"a path that leads out": func(c map[string]any) { c["path"] = "../../outside" },
		"the project itself":    func(c map[string]any) { c["path"] = "." },
		"no path":               func(c map[string]any) { c["path"] = "" },
		"no clean path":         func(c map[string]any) { c["path"] = "b/../a" },
		"an unknown operation":  func(c map[string]any) { c["op"] = "frobnicate" },
		"the same twice":        func(c map[string]any) { r["changes"] = append(r["changes"].([]any), c) },
		"no change":             func(map[string]any) { r["changes"] = nil },
	} {
		must(t, json.Unmarshal(genuine, &r))
		forge(r["changes"].([]any)[0].(map[string]any))
		forged, err := json.Marshal(r)
		must(t, err)
		must(t, os.WriteFile(record, forged, 0o600))
		if _, err := kept.Look(root, id(1)); err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, kept.Drop(root, id(1)))
}

// Contents may come with the project, too. Nothing waits for a pipe, and no link is followed.
func TestForgedContents(t *testing.T) {
	t.Parallel()
	root := open(t)
	must(t, hold(t, root, 1, "a", "a").Close())
	must(t, os.WriteFile(filepath.Join(root.Name(), "other"), []byte("other"), 0o600))
	content := filepath.Join(root.Name(), ".belay/changes", id(1), "files/a")
	for name, forge := range map[string]func() error{
		"a pipe":   func() error { return syscall.Mkfifo(content, 0o600) },
		"a link":   func() error { return os.Symlink("../../../../other", content) },
		"a folder": func() error { return os.Mkdir(content, 0o700) },
	} {
		must(t, os.RemoveAll(content))
		must(t, forge())
		c, err := kept.Open(root, id(1))
		must(t, err)
		if f, err := c.Changes[0].Content(); err == nil {
			t.Errorf("%s was opened", name)
			must(t, f.Close())
		}
		must(t, c.Close())
	}
}

// What processes left that died while they made or removed a change is swept, and
// nothing else.
func TestSweep(t *testing.T) {
	t.Parallel()
	root := open(t)
	must(t, kept.Sweep(root))
	must(t, hold(t, root, 1, "a", "a").Close())
	dir := filepath.Join(root.Name(), ".belay/changes")
	for n := 2; n <= 4; n++ {
		closed := filepath.Join(dir, id(n), "files/closed")
		must(t, os.MkdirAll(closed, 0o700))
		must(t, os.WriteFile(filepath.Join(closed, "a"), nil, 0o600))
		must(t, os.Chmod(closed, 0))
	}
	must(t, os.WriteFile(filepath.Join(dir, id(3)+".lock"), nil, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, id(5)+".lock"), nil, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600))
	busy, err := durable.Lock(filepath.Join(dir, id(4)+".lock"))
	must(t, err)
	must(t, kept.Sweep(root))
	if left, want := names(t, dir), id(1)+" "+id(1)+".lock "+id(4)+" "+id(4)+".lock mine.txt"; left != want {
		t.Errorf("left %q, not %q", left, want)
	}
	must(t, busy.Unlock())
	must(t, kept.Sweep(root))
	if left, want := names(t, dir), id(1)+" "+id(1)+".lock mine.txt"; left != want {
		t.Errorf("left %q, not %q", left, want)
	}
}

// Folders without permissions are removed with the rest.
func TestClosedFolders(t *testing.T) {
	t.Parallel()
	root := open(t)
	c := hold(t, root, 1, "sub/a", "a")
	must(t, os.Chmod(filepath.Join(root.Name(), ".belay/changes", id(1), "files/sub"), 0))
	must(t, c.Close())
	must(t, kept.Drop(root, id(1)))
	if left := names(t, filepath.Join(root.Name(), ".belay/changes")); left != "" {
		t.Errorf("left %q", left)
	}
}
