package quota

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const mib = 1 << 20

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill writes a file of n bytes that no file system makes smaller.
func fill(t testing.TB, n int, path ...string) {
	t.Helper()
	data, seed := make([]byte, n), uint64(n)
	for i := range data {
		seed = seed*6364136223846793005 + 1442695040888963407
		data[i] = byte(seed >> 56)
	}
	name := filepath.Join(path...)
	must(t, os.MkdirAll(filepath.Dir(name), 0o700))
	must(t, os.WriteFile(name, data, 0o600))
}

// exceeds reports whether an error says that this limit was passed.
func exceeds(err error, setting string) bool {
	var e *ExceededError
	return errors.As(err, &e) && e.Setting == setting
}

// What counts is the space that files take: not the size of a sparse one, and not each
// name of a file.
func TestWhatCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make   func(dir string)
		passes bool
	}{
		"nothing": {func(string) {}, false},
		"a file":  {func(dir string) { fill(t, 2*mib, dir, "a") }, true},
		"small files": {func(dir string) {
			for i := range 30 {
				fill(t, 100<<10, dir, "sub", strings.Repeat("x", i+1), "f")
			}
		}, true},
		"a little": {func(dir string) { fill(t, mib/2, dir, "a") }, false},
		"a sparse file": {func(dir string) {
			fill(t, 1, dir, "a")
			must(t, os.Truncate(filepath.Join(dir, "a"), 1<<30))
		}, false},
		"hard links": {func(dir string) {
			fill(t, mib/2, dir, "a")
			for _, name := range []string{"b", "c", "d"} {
				must(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, name)))
			}
		}, false},
		"a link to a file elsewhere": {func(dir string) {
			outside := t.TempDir()
			fill(t, 2*mib, outside, "a")
			must(t, os.Symlink(outside, filepath.Join(dir, "folder")))
			must(t, os.Symlink(filepath.Join(outside, "a"), filepath.Join(dir, "file")))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, project := t.TempDir(), t.TempDir()
			fill(t, 2*mib, project, "counts for nothing")
			w := newWatch(Limits{WriteBytes: mib}, time.Now(), project, []string{dir})
			test.make(dir)
			if err := w.checkWritten(t.Context()); exceeds(err, SettingWrite) != test.passes {
				t.Errorf("the count says %v", err)
			}
		})
	}
}

// What was there before does not count, only what is more than that.
func TestWhatWasThereBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fill(t, 3*mib, dir, "old")
	past := time.Now()
	w := newWatch(Limits{WriteBytes: mib}, past.Add(time.Hour), dir, []string{dir})
	must(t, w.checkWritten(t.Context()))
	fill(t, 2*mib, dir, "old") // smaller than it was
	fill(t, 3*mib/2, dir, "new")
	must(t, w.checkWritten(t.Context()))
	fill(t, 3*mib, dir, "old")
	if err := w.checkWritten(t.Context()); !exceeds(err, SettingWrite) {
		t.Errorf("the count says %v", err)
	}
}

// A command cannot hide what it writes in folders that are not counted: then the space
// counts that the disk has lost.
func TestHiddenFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWatch(Limits{WriteBytes: 1 << 40}, time.Now(), dir, []string{dir})
	fill(t, 2*mib, dir, strings.Repeat("d/", maxDepth+2), "deep")
	w.folders[1].free += 2 << 40 // as if the disk had lost that much
	if err := w.checkWritten(t.Context()); !exceeds(err, SettingWrite) {
		t.Errorf("the count says %v", err)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "d")))
	must(t, w.checkWritten(t.Context()))
}

// Little space ends a command that makes it less, and no other.
func TestLittleRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWatch(Limits{FreeBytes: 1 << 60}, time.Now(), dir, nil)
	w.folders[0].free -= 1 << 40 // as if others had given space back
	must(t, w.checkFree(t.Context()))
	w.folders[0].free += 1<<40 + 1<<41
	if err := w.checkFree(t.Context()); !exceeds(err, SettingFree) {
		t.Errorf("with little space: %v", err)
	}
	w.limits.FreeBytes = 1
	must(t, w.checkFree(t.Context()))
	must(t, os.RemoveAll(dir))
	must(t, w.checkFree(t.Context()))
}

// The context of a command ends with the limit as the cause, and otherwise when the
// command does.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := Limits{WriteBytes: mib, FreeBytes: 1}.Watch(t.Context(), dir, dir)
		time.Sleep(time.Minute)
		if ctx.Err() != nil {
			t.Fatalf("ended at once: %v", context.Cause(ctx))
		}
		fill(t, 2*mib, dir, "a")
		<-ctx.Done()
		if err := context.Cause(ctx); !exceeds(err, SettingWrite) {
			t.Errorf("the cause is %v", err)
		}
		stop()
		ctx, stop = Limits{WriteBytes: 1 << 40}.Watch(t.Context(), dir, dir)
		stop()
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v", err)
		}
		ctx, stop = Limits{}.Watch(t.Context(), dir, dir)
		if stop(); ctx.Err() != nil {
			t.Error("without limits, the context has an end")
		}
	})
}

func TestExceededError(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*ExceededError{
		"it had written more than 4 GiB (bash.max_write_bytes)":         {SettingWrite, 4 << 30},
		"it had written more than 976.6 KiB (bash.max_write_bytes)":     {SettingWrite, 1e6},
		"less than 256 MiB were left on the disk (bash.min_free_bytes)": {SettingFree, 256 << 20},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
