package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

var noon = time.Date(2026, 8, 24, 23, 59, 30, 0, time.FixedZone("east", 14*3600))

func options(t testing.TB) Options {
	t.Helper()
	return Options{LockDir: t.TempDir(), MaxFiles: 100, MaxBytes: 1 << 20, Clock: func() time.Time { return noon }}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// project is a folder with a tool root in which files are.
func project(t testing.TB, files map[string]string) Target {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, "_Estimates", name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must(t, os.WriteFile(path, []byte(content), 0o666))
	}
	return Target{Root: root, ToolRoot: "_Estimates", Label: "EST"}
}

func publish(t testing.TB, target Target, o Options, from string) Snapshot {
	t.Helper()
	s, err := Publish(context.Background(), target, o, Copy(context.Background(), target, o, from))
	must(t, err)
	return s
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// Covers: workspace 11.1, 11.2
func TestPublish(t *testing.T) {
	t.Parallel()
	target, o := project(t, map[string]string{
		"summary.md": "sum", "parts/a.csv": "1,2\n", "parts/run.sh": "#!/bin/sh\n", "_Templates/t.md": "no", ".hidden": "no", "OLD_2026-01-01_0000/x": "no",
	}), options(t)
	must(t, os.Chmod(filepath.Join(target.Root, "_Estimates", "parts", "run.sh"), 0o755)) //nolint:gosec // it is a script
	s := publish(t, target, o, "")
	if s.Name != "EST_2026-08-24_0959" || s.Path != filepath.Join(target.Root, "_Estimates", s.Name) || s.Bytes != 17 {
		t.Errorf("published %+v", s)
	}
	want := []string{"parts/a.csv", "parts/run.sh", "summary.md"}
	var got []string
	for _, f := range s.Files {
		got = append(got, f.Path)
		info, err := os.Stat(filepath.Join(s.Path, f.Path))
		must(t, err)
		if info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s can be written: %v", f.Path, info.Mode())
		}
		if strings.HasSuffix(f.Path, ".sh") && info.Mode().Perm()&0o100 == 0 {
			t.Errorf("%s cannot be run", f.Path)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	pointer, err := os.ReadFile(s.Pointer)
	must(t, err)
	if string(pointer) != "Latest: EST_2026-08-24_0959\nUpdated: 2026-08-24\n" {
		t.Errorf("the pointer is %q", pointer)
	}
	// Of the same minute there is a second and a third, and the first stays.
	for _, want := range []string{"EST_2026-08-24_0959_2", "EST_2026-08-24_0959_3"} {
		if s := publish(t, target, o, ""); s.Name != want || len(s.Files) != 3 {
			t.Errorf("published %+v", s)
		}
	}
	// One with another label is newer than those, and its name says so.
	other := target
	other.Label = "ALL"
	if s := publish(t, other, o, ""); s.Name != "ALL_2026-08-24_0959_4" {
		t.Errorf("published %s", s.Name)
	}
	if found, _ := Verify(t.Context(), target.Root, "_Estimates/"+s.Name); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
	for _, name := range names(t, filepath.Join(target.Root, "_Estimates")) {
		if strings.HasPrefix(name, tempPrefix) {
			t.Errorf("%s was left", name)
		}
	}
}

// The manifest is one that sha256sum takes, whatever the names of the files.
func TestManifestIsForSHA256Sum(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip("skipped: this system has no sha256sum")
	}
	src := t.TempDir()
	for _, name := range []string{"plain", "with  blanks ", "line\nbreak", `back\slash`, "*star", "ümlaut", "-dash"} {
		must(t, os.WriteFile(filepath.Join(src, name), []byte(name), 0o666))
	}
	target, o := project(t, map[string]string{}), options(t)
	s := publish(t, target, o, src)
	check := exec.Command(program, "-c", "--strict", ManifestFile)
	check.Dir = s.Path
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("sha256sum: %v\n%s", err, out)
	}
	if found, _ := Verify(t.Context(), target.Root, "_Estimates/"+s.Name); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
}

// Covers: workspace 11.1
func TestVerify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(dir string) error
		want  []string
	}{
		{"nothing", func(string) error { return nil }, nil},
		{"changed", func(dir string) error { return rewrite(dir, "a", "other") }, []string{"SNAPSHOT_FILE_CHANGED a"}},
		{"missing", func(dir string) error { return os.Remove(filepath.Join(dir, "a")) }, []string{"SNAPSHOT_FILE_MISSING a"}},
		{"added", func(dir string) error { return rewrite(dir, "b/new", "x") }, []string{"SNAPSHOT_FILE_ADDED b/new"}},
		{"a link in its place", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "a")), os.Symlink("b/c", filepath.Join(dir, "a")))
		}, []string{"SNAPSHOT_FILE_CHANGED a"}},
		{"an added link", func(dir string) error { return os.Symlink("/etc", filepath.Join(dir, "etc")) }, []string{"SNAPSHOT_FILE_ADDED etc"}},
		{"no manifest", func(dir string) error { return os.Remove(filepath.Join(dir, ManifestFile)) }, []string{"SNAPSHOT_NO_MANIFEST "}},
		{"a manifest that is none", func(dir string) error { return rewrite(dir, ManifestFile, "hello\n") },
			[]string{"SNAPSHOT_MANIFEST_MALFORMED SHA256SUMS", "SNAPSHOT_FILE_ADDED a", "SNAPSHOT_FILE_ADDED b/c"}},
		{"a manifest that leads out", func(dir string) error {
			return rewrite(dir, ManifestFile, strings.Repeat("0", 64)+"  ../../../etc/passwd\n")
		}, []string{"SNAPSHOT_MANIFEST_MALFORMED SHA256SUMS", "SNAPSHOT_FILE_ADDED a", "SNAPSHOT_FILE_ADDED b/c"}},
		{"gone", os.RemoveAll, []string{"SNAPSHOT_UNREADABLE "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target, o := project(t, map[string]string{"a": "A", "b/c": "C"}), options(t)
			s := publish(t, target, o, "")
			must(t, c.spoil(s.Path))
			var got []string
			found, err := Verify(t.Context(), target.Root, "_Estimates/"+s.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				rel := strings.TrimPrefix(strings.TrimPrefix(f.Path, "_Estimates/"+s.Name), "/")
				got = append(got, f.Code+" "+rel)
				if f.Fix == "" {
					t.Errorf("%+v has no fix", f)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// rewrite replaces a file of a snapshot, which is read-only.
func rewrite(dir, name, content string) error {
	path := filepath.Join(dir, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o600)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	plain := map[string]string{"a": "A"}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, target *Target, o *Options) (from string)
		want   string // in the message
	}{
		{"outside", func(_ *testing.T, g *Target, _ *Options) string { g.ToolRoot = "../_Estimates"; return "" }, "toolRoot must be a tool root"},
		{"absolute", func(_ *testing.T, g *Target, _ *Options) string { g.ToolRoot = "/tmp"; return "" }, "toolRoot must be a tool root"},
		{"a package", func(_ *testing.T, g *Target, _ *Options) string { g.ToolRoot = "PKG-01_X"; return "" }, "toolRoot must be a tool root"},
		{"not clean", func(_ *testing.T, g *Target, _ *Options) string { g.ToolRoot = "_Estimates/../x"; return "" }, "toolRoot must be a tool root"},
		{"in a snapshot", func(_ *testing.T, g *Target, _ *Options) string {
			g.ToolRoot = "_Estimates/X_2026-01-01_0000"
			return ""
		}, "must not lead into a snapshot"},
		{"unknown", func(_ *testing.T, g *Target, _ *Options) string { g.ToolRoot = "_Other"; return "" }, "toolRoot _Other does not exist"},
		{"no label", func(_ *testing.T, g *Target, _ *Options) string { g.Label = " "; return "" }, "label is required"},
		{"a label with a slash", func(_ *testing.T, g *Target, _ *Options) string { g.Label = "a/b"; return "" }, "label must be a plain name"},
		{"a long label", func(_ *testing.T, g *Target, _ *Options) string { g.Label = strings.Repeat("x", 201); return "" }, "at most 200 bytes"},
		{"nothing loose", func(_ *testing.T, g *Target, _ *Options) string { g.ToolRoot = "_Change"; return "" }, "nothing is loose in the tool root"},
		{"no source", func(*testing.T, *Target, *Options) string { return "/nowhere/at/all" }, "from does not exist"},
		{"a file as source", func(_ *testing.T, g *Target, _ *Options) string { return filepath.Join(g.Root, "_Estimates", "a") }, "from is no folder"},
		{"an empty source", func(t *testing.T, _ *Target, _ *Options) string { return t.TempDir() }, "has no file"},
		{"a link", func(t *testing.T, g *Target, _ *Options) string {
			must(t, os.Symlink("/etc/passwd", filepath.Join(g.Root, "_Estimates", "link")))
			return ""
		}, "link is no regular file"},
		{"too many files", func(_ *testing.T, _ *Target, o *Options) string { o.MaxFiles = 0; return "" }, "at most 0 files"},
		{"too many folders", func(t *testing.T, g *Target, o *Options) string {
			o.MaxFiles = 3
			must(t, os.MkdirAll(filepath.Join(g.Root, "_Estimates", "b", "c", "d"), 0o700))
			return ""
		}, "b/c/d is one too many; a snapshot holds at most 3 files and folders"},
		{"too many bytes", func(t *testing.T, g *Target, o *Options) string {
			o.MaxBytes = 10
			must(t, os.WriteFile(filepath.Join(g.Root, "_Estimates", "b"), make([]byte, 11), 0o600))
			return ""
		}, "beyond the 10 bytes"},
		{"the manifest's name", func(t *testing.T, g *Target, _ *Options) string {
			must(t, os.WriteFile(filepath.Join(g.Root, "_Estimates", ManifestFile), nil, 0o600))
			return ""
		}, "is the name of the manifest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target, o := project(t, plain), options(t)
			from := c.change(t, &target, &o)
			before := names(t, filepath.Join(target.Root, "_Estimates"))
			_, err := Publish(context.Background(), target, o, Copy(context.Background(), target, o, from))
			var f *fault.Error
			if !errors.As(err, &f) || f.Type != fault.InvalidRequest || !strings.Contains(f.Message, c.want) {
				t.Errorf("the error is %v", err)
			}
			if diff := cmp.Diff(before, names(t, filepath.Join(target.Root, "_Estimates"))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Publishers at the same time each have a name of their own, and the pointer names
// one of them.
//
// Covers: workspace 11.1, 11.2
func TestConcurrent(t *testing.T) {
	t.Parallel()
	target, o := project(t, map[string]string{"a": "A"}), options(t)
	const n = 12
	var all sync.WaitGroup
	published := make([]string, n)
	for i := range n {
		all.Go(func() {
			s, err := Publish(context.Background(), target, o, Copy(context.Background(), target, o, ""))
			if err != nil {
				t.Error(err)
			}
			published[i] = s.Name
		})
	}
	all.Wait()
	slices.Sort(published)
	if len(slices.Compact(published)) != n {
		t.Errorf("published %v", published)
	}
	pointer, err := os.ReadFile(filepath.Join(target.Root, "_Estimates", "_LATEST.md"))
	must(t, err)
	if want := fmt.Sprintf("Latest: EST_2026-08-24_0959_%d\n", n); !strings.HasPrefix(string(pointer), want) {
		t.Errorf("the pointer is %q", pointer)
	}
}

// A publisher that fails or dies leaves nothing that looks like a snapshot; the
// next one clears away.
func TestFailedBuild(t *testing.T) {
	t.Parallel()
	target, o := project(t, map[string]string{"a": "A"}), options(t)
	no := errors.New("no")
	_, err := Publish(context.Background(), target, o, func(dir *os.Root) error {
		return errors.Join(no, dir.WriteFile("half", []byte("x"), 0o600))
	})
	if !errors.Is(err, no) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff([]string{"a"}, names(t, filepath.Join(target.Root, "_Estimates"))); diff != "" {
		t.Error(diff)
	}
	crashed := filepath.Join(target.Root, "_Estimates", tempPrefix+"X", "deep")
	must(t, os.MkdirAll(crashed, 0o777))
	s := publish(t, target, o, "")
	if diff := cmp.Diff([]string{s.Name, "_LATEST.md", "a"}, names(t, filepath.Join(target.Root, "_Estimates"))); diff != "" {
		t.Error(diff)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Publish(ctx, target, o, Copy(ctx, target, o, "")); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// What a build function made is counted as well, folders with the files.
func TestBuiltFolders(t *testing.T) {
	t.Parallel()
	for most, ok := range map[int]bool{3: true, 2: false} {
		target, o := project(t, map[string]string{"a": "A"}), options(t)
		o.MaxFiles = most
		_, err := Publish(t.Context(), target, o, func(dir *os.Root) error {
			return errors.Join(dir.MkdirAll("b/c", 0o700), dir.WriteFile("b/c/d", []byte("x"), 0o600))
		})
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), "at most 2 files and folders") {
			t.Errorf("at most %d: %v", most, err)
		}
	}
}

// asked counts how often a context is asked whether it has ended.
type asked struct {
	context.Context
	times atomic.Int64
}

func (a *asked) Err() error {
	a.times.Add(1)
	return a.Context.Err()
}

// Folders are listed, made, looked at, flushed and verified one by one, and a request that
// ends stops before each.
func TestEndsBetweenFolders(t *testing.T) {
	t.Parallel()
	count := func(folders int) (published, verified int64) {
		target, o := project(t, map[string]string{"a": "A"}), options(t)
		for n := range folders {
			must(t, os.Mkdir(filepath.Join(target.Root, "_Estimates", fmt.Sprintf("f%03d", n)), 0o700))
		}
		ctx := &asked{Context: t.Context()}
		s, err := Publish(ctx, target, o, Copy(ctx, target, o, ""))
		must(t, err)
		published = ctx.times.Swap(0)
		found, err := Verify(ctx, target.Root, path.Join("_Estimates", s.Name))
		if must(t, err); len(found) > 0 {
			t.Errorf("it found %v", found)
		}
		return published, ctx.times.Load()
	}
	few, fewVerified := count(10)
	many, manyVerified := count(60)
	if each := float64(many-few) / 50; each < 4 {
		t.Errorf("publishing asks %.1f times for each folder", each)
	}
	if each := float64(manyVerified-fewVerified) / 50; each < 1 {
		t.Errorf("verifying asks %.1f times for each folder", each)
	}
}

// FuzzReadEntry holds a manifest's lines to giving back what was written, and to
// never naming a file outside of the snapshot.
func FuzzReadEntry(f *testing.F) {
	f.Add("a/b", []byte{1})
	f.Add("line\nbreak\\n", []byte("x"))
	f.Add("../x", []byte{})
	f.Fuzz(func(t *testing.T, name string, sum []byte) {
		line := fmt.Sprintf("%064x", sum)
		line = line[:64] + "  " + name
		if got, ok := readEntry(line); ok && !filepath.IsLocal(got.Path) {
			t.Errorf("%q leads out", got.Path)
		}
		var b strings.Builder
		want := File{Path: name, SHA256: strings.Repeat("0", 64)}
		writeEntry(&b, want)
		text := b.String()
		if strings.Count(text, "\n") != 1 {
			t.Fatalf("%q is more than one line", text)
		}
		if got, ok := readEntry(strings.TrimSuffix(text, "\n")); ok && got != want {
			t.Errorf("wrote %+v, read %+v", want, got)
		}
	})
}
