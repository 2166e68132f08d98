package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"belay/internal/durable"
	"belay/internal/session"
	"belay/internal/tool"
)

var _ tool.Gate = (*Watcher)(nil)

// Enter implements [tool.Gate]. It waits a minute at most.
func (w *Watcher) Enter(ctx context.Context, project string) (tool.Pass, error) {
	p, err := w.project(project)
	if err != nil {
		return nil, fmt.Errorf("enter the project: %w", err)
	}
	gate, err := p.gate(ctx)
	if busy := (*BusyError)(nil); errors.As(err, &busy) {
		return nil, tool.Refuse("the project is being looked over for a command of another session, which takes longer than %v", gateWait).
			WithHint("try it again").Because(err)
	}
	if err != nil {
		return nil, fmt.Errorf("enter the project: %w", err)
	}
	return pass{p, gate}, nil
}

// pass holds a project's gate.
type pass struct {
	p    *project
	gate *durable.FileLock
}

// Tell implements [tool.Pass].
func (p pass) Tell(changes ...session.Change) error {
	if err := p.p.tell(changes); err != nil {
		return fmt.Errorf("tell what is changed: %w", err)
	}
	return nil
}

// Heard implements [tool.Pass]. Where it cannot be told, somebody may listen.
func (p pass) Heard() bool {
	_, err := os.Lstat(p.p.file(announceFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// Leave implements [tool.Pass].
func (p pass) Leave() error { return p.gate.Unlock() }

// tell notes changes for the command that runs in the project. The gate is held.
func (p *project) tell(changes []session.Change) error {
	if !(pass{p: p}).Heard() {
		return nil // none does, and who begins one sees them
	}
	lines := []byte{'\n'} // a process that died may have left half a line
	for _, c := range changes {
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	f, err := os.OpenFile(p.file(toldFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	return errors.Join(err, f.Close())
}

// told are the changes that others of belay made since the command began, the last
// one of each path. The gate is held.
func (p *project) told() (map[string]session.Change, error) {
	f, err := os.Open(p.file(toldFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	last := map[string]session.Change{}
	_, err = durable.Scan(f, maxToldBytes, func(line []byte, _ int64) error {
		var c session.Change
		if json.Unmarshal(line, &c) == nil && c.Path != "" {
			last[c.Path] = c
		}
		return nil
	})
	return last, err
}
