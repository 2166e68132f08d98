package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"belay/internal/durable"
)

// LockFolder waits for the lock of work of some kind on a folder, and returns what
// frees it. The lock is a file in dir, which is in the operator's state folder;
// it excludes every process of this machine that keeps its locks there, by
// whatever path it names the folder. The folder need not exist.
func LockFolder(ctx context.Context, dir, kind, folder string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("lock the folder: %w", err)
	}
	sum := sha256.Sum256([]byte(actual(filepath.Clean(folder))))
	l, err := durable.WaitLock(ctx, filepath.Join(dir, kind+"-"+hex.EncodeToString(sum[:16])+".lock"))
	if err != nil {
		return nil, fmt.Errorf("lock the folder: %w", err)
	}
	return func() { _ = l.Unlock() }, nil // closing frees it in any case
}

// actual is the existing part of a path, without links.
func actual(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(actual(parent), filepath.Base(path))
}
