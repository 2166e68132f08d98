package session

import (
	"context"
	"errors"
	"os"
	"path"
	"time"

	"belay/internal/durable"
)

// Get returns a session's record (SESSION_NOT_FOUND when the id is ill-formed or
// unknown).
func (s *Store) Get(ctx context.Context, id string) (Record, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, err
	}
	l, err := s.states.enter(id)
	if err != nil {
		return Record{}, err
	}
	defer s.states.leave(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record()
}

// Listed is [Store.Get] for lists: a session that cannot be used is a record that
// says why.
func (s *Store) Listed(ctx context.Context, id string) (Record, error) {
	rec, err := s.Get(ctx, id)
	if !errors.Is(err, ErrMalformed) && !isNewer(err) {
		return rec, err
	}
	p, e := s.paths.locate(id)
	if e != nil {
		return Record{}, e
	}
	return s.lists.damaged(p, id, err), nil
}

// damaged is how a list reports a session that cannot be used. Where all sessions
// share one folder, it may be of any project.
func (s *lists) damaged(p sessionPath, id string, err error) Record {
	rec := Record{SessionID: id, Damaged: reason(err)}
	if p.inProject() {
		rec.ProjectRoot = p.base
	}
	if info, err := os.Stat(p.folder()); err == nil {
		rec.CreatedAt = Time{info.ModTime().UTC().Truncate(time.Millisecond)}
		rec.UpdatedAt = rec.CreatedAt
	}
	return rec
}

func readRecordAt(p sessionPath, id string) (Record, error) {
	root, err := p.open()
	if err != nil {
		return Record{}, err
	}
	defer func() { _ = root.Close() }()
	rec, _, err := readRecord(root, id)
	return rec, err
}

// heal settles a record that was found at p against the index: it takes an entry
// that is lost or leads to a folder that is gone, and makes the record read-only
// when the entry leads to another folder with the same session. Healed is set where the
// entry was made or changed.
func (s *lists) heal(p sessionPath, rec Record) (_ Record, healed bool, err error) {
	rec = p.settle(rec)
	known, ok := s.store.paths.indexed(rec.SessionID)
	switch {
	case ok && known == p:
	case ok && known.exists():
		rec.ReadOnly = rec.ReadOnly || !known.same(p)
	default:
		return rec, true, s.store.paths.index(rec.SessionID, p)
	}
	return rec, false, nil
}

// Delete removes a session's folder and index entry. It takes the lease, so a
// running turn is TURN_IN_PROGRESS. Readers end with SESSION_NOT_FOUND. Blobs
// that nothing refers to any more are left to [Store.GC].
func (s *Store) Delete(ctx context.Context, id string) error {
	l, err := s.states.acquire(ctx, id, toRemove)
	if err != nil {
		return err
	}
	err = l.remove()
	if err == nil {
		err = s.Upkeep.finishDelete(l.state.path, id)
	}
	return errors.Join(storage("the session could not be removed", err), l.Release())
}

// deletedPrefix starts the name of a session folder that is being removed.
const deletedPrefix = ".deleted-"

// remove hides the folder of the session, which is gone then, also after a crash.
func (l *Lease) remove() error {
	v := l.state
	v.mu.Lock()
	defer v.mu.Unlock()
	base, err := os.OpenRoot(v.path.base)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	if err := v.closeFiles(); err != nil {
		return err
	}
	hidden := path.Join(path.Dir(v.path.rel), deletedPrefix+v.id)
	if err := durable.RemoveAll(base, hidden); err != nil { // of an earlier try
		return err
	}
	if err := durable.Rename(base, v.path.rel, hidden); err != nil {
		return err
	}
	if err := durable.FlushDir(base, path.Dir(hidden), durable.Discarded); err != nil {
		return errors.Join(err, durable.Rename(base, hidden, v.path.rel))
	}
	v.gone = notFound(v.id)
	v.broadcast()
	v.store.states.forget(v)
	// Where a full disk does not take this, an import of the id does it.
	_ = l.writeNote(note{})
	return nil
}

// finishDelete removes what there is of a session whose folder is hidden. The
// folder goes last: while it is there, [Store.GC] knows what to finish.
func (s *Upkeep) finishDelete(p sessionPath, id string) error {
	base, err := os.OpenRoot(p.base)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	return errors.Join(s.forgetDeleted(p, id), durable.RemoveAll(base, path.Join(path.Dir(p.rel), deletedPrefix+id)))
}

// forgetDeleted removes what the state folder has of a session that was deleted.
// The index entry goes last, for the same reason.
func (s *Upkeep) forgetDeleted(p sessionPath, id string) error {
	errs := []error{s.store.Archive.forgetEarlier(id)}
	if known, ok := s.store.paths.indexed(id); ok && known == p {
		errs = append(errs, removeIfThere(s.store.stateDir.Root(), dirIndex+"/"+id))
	}
	return errors.Join(errs...)
}

func removeIfThere(root *os.Root, name string) error {
	if err := durable.Remove(root, name); err != nil && !missing(err) {
		return err
	}
	return nil
}
