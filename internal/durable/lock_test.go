package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestLockExcludesEverybody(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "l")
	var holders, won atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 50 {
				l, err := Lock(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				won.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock at once", n)
				}
				holders.Add(-1)
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if won.Load() == 0 {
		t.Error("nobody got it")
	}
}

func TestLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "l")
	if Locked(path) {
		t.Error("a lock that nobody made is held")
	}
	l, err := Lock(path)
	must(t, err)
	if !Locked(path) {
		t.Error("a held lock is not held")
	}
	if _, err := l.File().WriteAt([]byte("note"), 0); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "note" {
		t.Errorf("others read %q, %v from a locked file", b, err)
	}
	must(t, l.Unlock())
	if Locked(path) {
		t.Error("a freed lock is held")
	}
}

func TestLockErrors(t *testing.T) {
	t.Parallel()
	if _, err := Lock(filepath.Join(t.TempDir(), "no", "l")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("a folder that is not there gave %v", err)
	}
}

func TestLockLosesItsName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open file keeps its name there")
	}
	path := filepath.Join(t.TempDir(), "l")
	l, err := Lock(path)
	must(t, err)
	if !l.Named() {
		t.Error("a new lock has no name")
	}
	must(t, os.Rename(path, path+".away"))
	if l.Named() {
		t.Error("a lock is named whose file has moved")
	}
	must(t, os.WriteFile(path, nil, 0o600))
	if l.Named() {
		t.Error("a lock is named whose name another file has")
	}
	must(t, l.Unlock())
}

func TestLockRestsAndResumes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "l")
	l, err := Lock(path)
	must(t, err)
	must(t, l.Rest())
	other, err := Lock(path)
	if err != nil {
		t.Fatalf("a lock that rests is held: %v", err)
	}
	if err := l.Resume(); !errors.Is(err, ErrLocked) {
		t.Errorf("a lock that another has was resumed: %v", err)
	}
	must(t, other.Unlock())
	must(t, l.Resume())
	if !Locked(path) || !l.Named() {
		t.Error("a resumed lock excludes nobody")
	}
	must(t, l.Close())
	if Locked(path) {
		t.Error("a closed lock is held")
	}
}

func TestLockResumesUnderItsName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open file keeps its name there")
	}
	path := filepath.Join(t.TempDir(), "l")
	l, err := Lock(path)
	must(t, err)
	must(t, l.Rest())
	must(t, os.Remove(path))
	other, err := Lock(path)
	must(t, err)
	if err := l.Resume(); !errors.Is(err, ErrLocked) {
		t.Errorf("a lock was resumed that excludes nobody: %v", err)
	}
	must(t, other.Unlock())
	must(t, l.Resume())
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a resumed lock excludes nobody: %v", err)
	}
	must(t, l.Unlock())
}

// A lock whose holders remove its file excludes everybody, and leaves nothing.
func TestRemovedLockExcludesEverybody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "l")
	var holders atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				l, err := WaitLock(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock at once", n)
				}
				holders.Add(-1)
				if err := l.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
