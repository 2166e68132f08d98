package scaffold

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"belay/internal/durable"
)

// retry is how long a run waits before it looks at a held lock again.
const retry = 20 * time.Millisecond

// lock waits for the lock of a root. It is known by where the root really is, as
// far as that exists.
func lock(ctx context.Context, dir, root string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("lock the execution root: %w", err)
	}
	sum := sha256.Sum256([]byte(actual(root)))
	name := filepath.Join(dir, "scaffold-"+hex.EncodeToString(sum[:16])+".lock")
	for {
		l, err := durable.Lock(name)
		if err == nil {
			return func() { _ = l.Unlock() }, nil // closing frees it in any case
		}
		if !errors.Is(err, durable.ErrLocked) {
			return nil, fmt.Errorf("lock the execution root: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for another run on the same root: %w", context.Cause(ctx))
		case <-time.After(retry):
		}
	}
}

// actual is a path without links, as far as it exists.
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
