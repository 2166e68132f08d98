package watch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/tool"
)

// recoverWait is how long the end of a command is waited for whose process died:
// its keeper ends it, which takes moments.
const recoverWait = 30 * time.Second

// Left reports whether something is to be recovered of a session's commands in a
// project. It is cheap where nothing is.
func (w *Watcher) Left(project, sessionID string) bool {
	if !safeID(sessionID) {
		return false
	}
	if _, err := os.Lstat(filepath.Join(w.o.Dir, foundDir, sessionID)); err == nil {
		return true
	}
	return w.abandoned(project, sessionID)
}

// abandoned reports whether a command of the session was announced last in the
// project. The session's turn has died, or this is its own.
func (w *Watcher) abandoned(path, sessionID string) bool {
	a, err := (&project{dir: w.locate(path).dir}).announced()
	return err == nil && a.Origin.SessionID == sessionID
}

// Recover finds out what the command of the place's session did whose process died
// in the middle of it, and returns all findings that are not on record yet: of
// this place and of earlier ones. Nobody runs a turn in the session. Each finding
// is to be dropped when it is on record ([Watcher.Drop]).
func (w *Watcher) Recover(ctx context.Context, place Place) ([]tool.Finding, error) {
	id := place.Origin.SessionID
	if !safeID(id) {
		return nil, nil
	}
	p, err := w.project(place.Project)
	if err != nil {
		return nil, fmt.Errorf("recover what a command did: %w", err)
	}
	// Whoever has the lock is the end of that command, or has recovered it first.
	for began := time.Now(); w.abandoned(place.Project, id) && time.Since(began) < recoverWait; {
		lock, err := p.begin(ctx, lastTry)
		if busy := (*BusyError)(nil); errors.As(err, &busy) {
			continue
		}
		if err == nil {
			err = errors.Join(w.settleAlone(ctx, p, place), p.end(lock))
		}
		if err != nil {
			return nil, fmt.Errorf("recover what a command did: %w", err)
		}
	}
	return w.findings(id)
}

func (w *Watcher) settleAlone(ctx context.Context, p *project, place Place) error {
	gate, err := p.gate(ctx)
	if err != nil {
		return err
	}
	return errors.Join(w.settle(ctx, p, place), gate.Unlock())
}

// settle finds out what the command did whose process died in the project, if
// there is one, and leaves that for its session. The lock and the gate are held:
// nothing of it runs any more.
func (w *Watcher) settle(ctx context.Context, p *project, place Place) error {
	a, err := p.announced()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil { // nobody knows whose it was
		return p.clear()
	}
	f := tool.Finding{Origin: a.Origin, Notes: []string{a.describe()}}
	r, err := w.reopen(p, a, place)
	if err == nil {
		r.ctx = ctx
		err = errors.Join(r.run(), r.p.keep.pack.Close())
		f.Changes, f.Notes = r.Changes, append(f.Notes, r.Notes...)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil { // it would not be better the next time
		f.Notes = append(f.Notes, fmt.Sprintf("not all of it is known: %v", err))
	}
	if _, err := w.leave(f); err != nil {
		return err
	}
	return errors.Join(p.clear(), removeKept(p.file(a.Pack)))
}

// reopen returns the review of a command that another process ran.
func (w *Watcher) reopen(p *project, a announcement, place Place) (*review, error) {
	if filepath.Base(a.Pack) != a.Pack || !strings.HasPrefix(a.Pack, keptPrefix) {
		return nil, errIndex
	}
	held, err := readIndex(p.file(a.Pack)+indexSuffix, a.IndexBytes, a.IndexSum)
	if err != nil {
		return nil, err
	}
	before := &listing{folders: make(map[string]*folder, len(held))}
	for dir, h := range held {
		before.folders[dir] = h.folder
	}
	place.Origin, place.FileBytes, place.Scope = a.Origin, a.FileBytes, tool.AllOf{}
	if a.Scope != nil {
		if place.Scope, err = tool.LoadScope(a.Scope); err != nil {
			return nil, err
		}
	}
	var until time.Time
	if a.Stamped {
		info, err := os.Stat(p.file(lockFile))
		if err != nil {
			return nil, err
		}
		until = info.ModTime()
	}
	pack, err := os.Open(p.file(a.Pack))
	if err != nil {
		return nil, err
	}
	if info, err := pack.Stat(); err != nil || info.Size() < a.PackBytes {
		return nil, errors.Join(errPack, err, pack.Close())
	}
	dead := &project{dir: p.dir, keep: &keep{pack: pack, held: held}}
	return &review{Watch: &Watch{w: w, p: dead, place: place, before: before, began: a.Began}, until: until}, nil
}

// errPack says that a pack is not what its process wrote.
var errPack = errors.New("the contents that were kept are damaged")

// foundDir holds a folder for each session with findings.
const foundDir = "found"

// maxFindingBytes bounds what is read of a finding.
const maxFindingBytes = 64 << 20

// safeID reports whether a session's id is fit to be a folder's name.
func safeID(id string) bool {
	return id != "" && filepath.IsLocal(id) && filepath.Base(id) == id && len(id) <= 200
}

// leave keeps a finding for its session, until recorded is called. There is none
// to call where nobody would ask for it.
func (w *Watcher) leave(f tool.Finding) (recorded func(), err error) {
	if !safeID(f.Origin.SessionID) {
		return nil, nil
	}
	dir := filepath.Join(w.o.Dir, foundDir, f.Origin.SessionID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	data, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	id := rand.Text()
	err = durable.WriteFile(root, id+findingSuffix, data, 0o600, durable.CommandState)
	if err = errors.Join(err, root.Close()); err != nil {
		return nil, err
	}
	return func() { _ = w.Drop(f.Origin.SessionID, id) }, nil // what stays is seen to be on record
}

const findingSuffix = ".json"

// Drop forgets a finding: it is on record.
func (w *Watcher) Drop(sessionID, id string) error {
	if !safeID(sessionID) || !safeID(id) {
		return nil
	}
	dir := filepath.Join(w.o.Dir, foundDir, sessionID)
	err := removeIfThere(filepath.Join(dir, id+findingSuffix))
	_ = os.Remove(dir) // while there are others, it stays
	return err
}

// findings are those of a session. One that cannot be read is left out.
func (w *Watcher) findings(sessionID string) (all []tool.Finding, err error) {
	dir := filepath.Join(w.o.Dir, foundDir, sessionID)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), findingSuffix)
		if !ok {
			continue
		}
		data, _, err := durable.ReadFile(nil, filepath.Join(dir, e.Name()), maxFindingBytes)
		f := tool.Finding{ID: id}
		if err == nil && json.Unmarshal(data, &f) == nil && f.Origin.SessionID == sessionID {
			all = append(all, f)
		}
	}
	return all, nil
}
