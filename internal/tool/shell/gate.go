package shell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"belay/internal/durable"
	"belay/internal/tool"
)

// gateWait is how long the gate of a project is waited for: longer than it takes to
// apply a great many changes.
const gateWait = time.Minute

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
	gates := filepath.Join(s.state, dirGates)
	if err := os.MkdirAll(gates, 0o700); err != nil {
		return nil, fmt.Errorf("enter the project: %w", err)
	}
	waiting, cancel := context.WithTimeout(ctx, gateWait)
	defer cancel()
	lock, err := durable.WaitLock(waiting, filepath.Join(gates, hex.EncodeToString(sum[:16])))
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
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
