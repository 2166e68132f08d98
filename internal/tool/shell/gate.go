package shell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"belay/internal/durable"
	"belay/internal/tool"
)

// gateWait is how long the gate of a project is waited for: longer than it takes to
// apply a great many changes.
const gateWait = time.Minute

// How often a lock is tried for that another process holds: the first times soon.
const (
	firstTry = time.Millisecond
	lastTry  = 50 * time.Millisecond
)

// dirGates is the folder of the state folder with a lock for each project.
const dirGates = "gates"

var _ tool.Gate = (*Shell)(nil)

// Enter implements [tool.Gate]. It waits a minute at most.
func (s *Shell) Enter(ctx context.Context, project string) (tool.Pass, error) {
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		real = project
	}
	sum := sha256.Sum256([]byte(real))
	lock, err := lockSoon(ctx, filepath.Join(s.state, dirGates, hex.EncodeToString(sum[:16])), gateWait)
	if errors.Is(err, durable.ErrLocked) {
		return nil, tool.Refuse("something else changes files of the project, which takes longer than %v", gateWait).
			WithHint("try it again").Because(err)
	}
	if err != nil {
		return nil, fmt.Errorf("enter the project: %w", err)
	}
	return pass{lock: lock}, nil
}

// pass holds a project's gate.
type pass struct{ lock *durable.FileLock }

// Leave implements [tool.Pass].
func (p pass) Leave() error { return p.lock.Unlock() }

// lockSoon takes a lock within a time, and makes its folder where there is none.
func lockSoon(ctx context.Context, path string, wait time.Duration) (*durable.FileLock, error) {
	began := time.Now()
	for pause := firstTry; ; pause = min(2*pause, lastTry) {
		lock, err := durable.Lock(path)
		if errors.Is(err, fs.ErrNotExist) {
			if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
				lock, err = durable.Lock(path)
			}
		}
		if err == nil || !errors.Is(err, durable.ErrLocked) || time.Since(began) >= wait {
			return lock, err
		}
		timer := time.NewTimer(min(pause, max(wait-time.Since(began), 0)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}
