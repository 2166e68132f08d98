package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"belay/internal/tool/shell/quota"
)

// More files than can be reviewed change nothing, and the result says so.
func TestMoreFilesThanCanBeReviewed(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	w.Limits.CommandTime = w.Limits.CommandTimeMost
	old := filepath.Join(w.Project, "old")
	must(t, os.Mkdir(old, 0o755))
	const many = 100_000
	for i := range many {
		must(t, os.WriteFile(filepath.Join(old, fmt.Sprint(i)), nil, 0o644))
	}
	for _, command := range []string{
		"rm -r old", "mkdir new && cd new && for ((i=0; i<100000; i++)); do : >$i; done; ls | wc -l",
	} {
		r, err := callShell(t, shared, w, input{Command: command})
		if err != nil || !strings.Contains(r.Text, "nothing of what it changed was applied: the command changed more than 50000 files and folders") {
			t.Errorf("%s: %.500s, %v", command, r.Text, err)
		}
		if strings.Contains(command, "wc") && !strings.HasPrefix(r.Text, "100000\n") {
			t.Errorf("the command did not make its files: %.500s", r.Text)
		}
	}
	if left, err := os.ReadDir(old); err != nil || len(left) != many {
		t.Errorf("there are %d files, %v", len(left), err)
	}
	if _, err := os.Stat(filepath.Join(w.Project, "new")); !os.IsNotExist(err) {
		t.Errorf("the new folder is there: %v", err)
	}
	checkLeft(t, w.Project)
}

// checkLeft looks for what commands leave in a project and mounts of it.
func checkLeft(t *testing.T, project string) {
	t.Helper()
	if left, err := os.ReadDir(filepath.Join(project, ".belay", "tmp")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if table, err := os.ReadFile(mountTable); err != nil || strings.Contains(string(table), project+"/") {
		t.Errorf("something is left mounted: %v", err)
	}
}

// What a command writes counts by its size when it is to be applied, also where it has
// holes. A file of 4 GiB of the project can be removed.
func TestFilesOfFourGiB(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w, s := newPlace(t, base), newShell(t, base, Options{Disk: quota.Limits{WriteBytes: 4<<30 - 1}})
	w.Limits.CommandTime = w.Limits.CommandTimeMost
	large := filepath.Join(w.Project, "large")
	must(t, os.WriteFile(large, nil, 0o644))
	must(t, os.Truncate(large, 4<<30))
	for command, said := range map[string]string{
		"truncate -s 4G hole": "more than 4294967295 bytes (bash.max_write_bytes)",
		"echo more >>large":   "ended by SIGXFSZ",
	} {
		r, err := callShell(t, s, w, input{Command: command})
		if err != nil || !strings.Contains(r.Text, said) {
			t.Errorf("%s: %.500s, %v", command, r.Text, err)
		}
	}
	if info, err := os.Stat(large); err != nil || info.Size() != 4<<30 {
		t.Errorf("the old file: %v, %v", info, err)
	}
	if r, err := callShell(t, s, w, input{Command: "rm large; echo x >small"}); err != nil || r.Failed {
		t.Errorf("removed: %.500s, %v", r.Text, err)
	}
	var got []string
	entries, err := os.ReadDir(w.Project)
	must(t, err)
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want := []string{".belay", "small"}; !slices.Equal(got, want) {
		t.Errorf("the project holds %q, want %q", got, want)
	}
	checkLeft(t, w.Project)
}

// Of two names of one file only the one is changed that a command wrote to.
func TestHardLinks(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	outside := filepath.Join(filepath.Dir(w.Project), "outside")
	must(t, os.WriteFile(outside, []byte("old\n"), 0o644))
	for _, name := range []string{"a", "b", "c"} {
		must(t, os.Link(outside, filepath.Join(w.Project, name)))
	}
	if r, err := callShell(t, shared, w, input{Command: "echo new >>a; rm c; ln b d; cat b"}); err != nil || r.Failed {
		t.Errorf("%q, %v", r.Text, err)
	}
	got := fmt.Sprintf("%q %q %q %q", read(t, w, "a"), read(t, w, "b"), read(t, w, "c"), read(t, w, "d"))
	if want := `"old\nnew\n" "old\n" "" "old\n"`; got != want {
		t.Errorf("the files hold %s, want %s", got, want)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "old\n" {
		t.Errorf("the file outside holds %q, %v", text, err)
	}
}

// A folder of the project cannot be renamed in an overlay. The result says so where git
// fails for that; mv copies.
func TestRenamedFolders(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	for _, command := range []string{
		"git init -q && mkdir sub && echo x >sub/file && git add sub && git -c user.name=A -c user.email=a@example.com commit -q -m first",
		"mv sub moved && mv moved sub",
	} {
		if r, err := callShell(t, shared, w, input{Command: command}); err != nil || r.Failed {
			t.Fatalf("%s: %q, %v", command, r.Text, err)
		}
	}
	r, err := callShell(t, shared, w, input{Command: "git mv sub other"})
	if err != nil || !r.Failed || !strings.Contains(r.Text, "a folder that was there before cannot be renamed here: copy it") {
		t.Errorf("%q, %v", r.Text, err)
	}
	if r, err := callShell(t, shared, w, input{Command: "cp -r sub other && git rm -rq sub && git add other && git status --porcelain"}); err != nil || r.Failed || !strings.HasPrefix(r.Text, "R  sub/file -> other/file\n") {
		t.Errorf("%q, %v", r.Text, err)
	}
	if read(t, w, "other/file") != "x\n" || read(t, w, "sub/file") != "" {
		t.Error("the copy was not applied")
	}
}

// In a project that belongs to another group, as those that several people share do,
// there is no overlay: the project is read-only unless the command says that it writes.
// In the user's own project only the files of others cannot be changed by a command.
func TestSharedProjects(t *testing.T) {
	t.Parallel()
	asNobodyToo(t, "TestSharedProjects")
	if os.Geteuid() == 0 {
		testRootInSharedProjects(t)
		return
	}
	groups, err := os.Getgroups()
	must(t, err)
	own := os.Getegid()
	groups = slices.DeleteFunc(groups, func(g int) bool { return g == own })
	if len(groups) == 0 {
		t.Skip("skipped: this user has one group")
	}
	other := groups[0]
	base := tempDir(t)
	w, s := newPlace(t, base), newShell(t, base, Options{})
	put(t, w.Project, "own/file", "own\n")
	put(t, w.Project, "shared/file", "shared\n")
	for _, name := range []string{"shared", "shared/file"} {
		must(t, os.Chown(filepath.Join(w.Project, name), -1, other))
	}
	must(t, os.Chmod(filepath.Join(w.Project, "shared"), 0o775|os.ModeSetgid)) //nolint:gosec // of a group
	for _, command := range []string{"echo x >>shared/file", "echo x >shared/new", "rm shared/file", "mv shared mine"} {
		r, err := callShell(t, s, w, input{Command: command})
		if err != nil || !r.Failed || !strings.Contains(r.Text, "files and folders of another user or group cannot be changed here") {
			t.Errorf("%s: %q, %v", command, r.Text, err)
		}
	}
	if r, err := callShell(t, s, w, input{Command: "cat shared/file >>own/file"}); err != nil || r.Failed || read(t, w, "own/file") != "own\nshared\n" {
		t.Errorf("%q, %v", r.Text, err)
	}

	must(t, os.Chown(w.Project, -1, other))
	must(t, os.Chmod(w.Project, 0o775|os.ModeSetgid)) //nolint:gosec // of a group
	if r, err := callShell(t, s, w, input{Command: "cat shared/file; echo x >new"}); err != nil || !strings.HasPrefix(r.Text, "shared\n") || !strings.Contains(r.Text, "say so with write") {
		t.Errorf("%q, %v", r.Text, err)
	}
	if r, err := callShell(t, s, w, input{Command: "echo x >>shared/file; echo y >shared/new; echo z >new", Write: true}); err != nil || r.Failed {
		t.Errorf("%q, %v", r.Text, err)
	}
	for name, want := range map[string]string{"shared/file": "shared\nx\n", "shared/new": "y\n", "new": "z\n"} {
		if got := read(t, w, name); got != want || groupOf(t, filepath.Join(w.Project, name)) != other {
			t.Errorf("%s holds %q and belongs to group %d", name, got, groupOf(t, filepath.Join(w.Project, name)))
		}
	}
	checkLeft(t, w.Project)
}

// testRootInSharedProjects checks that what root's commands change belongs to whom it
// did.
func testRootInSharedProjects(t *testing.T) {
	t.Helper()
	w := newPlace(t, tempDir(t))
	put(t, w.Project, "shared/file", "shared\n")
	put(t, w.Project, "file", "file\n")
	for _, name := range []string{"shared", "shared/file", "file"} {
		must(t, os.Chown(filepath.Join(w.Project, name), 0, nobodysGroup))
	}
	must(t, os.Chmod(filepath.Join(w.Project, "shared"), 0o775|os.ModeSetgid)) //nolint:gosec // of a group
	if r, err := callShell(t, shared, w, input{Command: "echo x >>shared/file; echo x >>file; echo y >shared/new"}); err != nil || r.Failed {
		t.Errorf("%q, %v", r.Text, err)
	}
	for _, name := range []string{"shared", "shared/file", "file", "shared/new"} {
		if got := groupOf(t, filepath.Join(w.Project, name)); got != nobodysGroup {
			t.Errorf("%s belongs to group %d", name, got)
		}
	}
	if info, err := os.Stat(filepath.Join(w.Project, "shared")); err != nil || info.Mode()&os.ModeSetgid == 0 {
		t.Errorf("the folder is %v, %v", info.Mode(), err)
	}
}

func groupOf(t *testing.T, name string) int {
	t.Helper()
	var s syscall.Stat_t
	must(t, syscall.Stat(name, &s))
	return int(s.Gid)
}

// On file systems that hold an overlay, commands work on one.
func TestFileSystemsWithOverlay(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can mount what this needs")
	}
	w := newPlace(t, tempDir(t))
	must(t, w.Root.Close())
	must(t, unix.Mount("none", w.Project, "tmpfs", 0, "size=16m"))
	t.Cleanup(func() { must(t, unix.Unmount(w.Project, unix.MNT_DETACH)) })
	root, err := os.OpenRoot(w.Project)
	must(t, err)
	t.Cleanup(func() { _ = root.Close() })
	w.Root = root
	put(t, w.Project, "old/file", "old\n")
	put(t, w.Project, "gone", "")
	if _, e := prepared(t, shared, w, "true", false); !e.Deferred || e.Writes {
		t.Errorf("commands are not reviewed: %+v", e)
	}
	if r, err := callShell(t, shared, w, input{Command: "rm -r old gone; mkdir old; echo new >old/new; yes | head -c 1M >large"}); err != nil || r.Failed {
		t.Errorf("%q, %v", r.Text, err)
	}
	if read(t, w, "old/file") != "" || read(t, w, "old/new") != "new\n" || len(read(t, w, "large")) != 1<<20 {
		t.Error("not all was applied")
	}
	// There is no room for a second one: it is moved to its place.
	if r, err := callShell(t, shared, w, input{Command: "echo other >old/new; yes | head -c 9M >larger"}); err != nil || r.Failed || read(t, w, "old/new") != "other\n" || len(read(t, w, "larger")) != 9<<20 {
		t.Errorf("%q, %v", r.Text, err)
	}
	if left, err := os.ReadDir(filepath.Join(w.Project, ".belay", "tmp")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
