package session

import (
	"archive/tar"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"belay/internal/crash"
	"belay/internal/durable"
	"belay/internal/fault"
)

// Imported is a session that came in: its record, and the id that it had where it
// came from, which differs when that id was taken.
type Imported struct {
	Record
	From string
	// Lacks are the hashes of its attachments that neither came with it nor are in the project,
	// and Problems the lines of its files that are left out.
	Lacks    []string
	Problems []Problem
}

// Import unpacks an export into a project and returns the session's record. The
// session keeps its id unless one with it exists; then it gets a new one. Its
// project becomes this one.
//
// The archive is not trusted: only the files of a session are accepted, by exact
// name, within the store's limits, and each must have its recorded hash. When
// anything is wrong (INVALID_REQUEST, REQUEST_TOO_LARGE) no session is made.
func (s *Archive) Import(ctx context.Context, archive io.Reader, projectRoot string) (Imported, error) {
	src, err := openArchive(archive, s.store.o.ImportBytes)
	if err != nil {
		return Imported{}, err
	}
	return s.take(ctx, src, projectRoot)
}

// ImportDir adopts a copy of a session folder. A copy that is in the project
// already, because the whole project was copied, is replaced by the adopted
// session; any other stays where it is.
func (s *Archive) ImportDir(ctx context.Context, dir, projectRoot string) (Imported, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Imported{}, fmt.Errorf("import: %w", err)
	}
	project, err := checkRoot(projectRoot)
	if err != nil {
		return Imported{}, err
	}
	id := filepath.Base(dir)
	p, here := pathOf(dir), s.store.paths.pathIn(project, id)
	inside := ValidID(id) && here.exists() && p.same(here)
	if inside {
		rec, err := readRecordAt(here, id)
		if err != nil {
			return Imported{}, refused("the folder has no usable %s: %s", fileRecord, reason(err))
		}
		if rec, _, err = s.store.lists.heal(here, rec); err != nil || !rec.ReadOnly {
			return Imported{Record: rec, From: id}, err // not a copy: it only had to be found
		}
	}
	root, err := p.open()
	if err != nil {
		return Imported{}, refused("the folder cannot be opened: %s", reason(err))
	}
	from := ""
	if p.inProject() {
		from = p.base
	}
	r, w := io.Pipe()
	e := exporter{ctx: ctx, store: s.store, id: id, tar: tar.NewWriter(w), sums: map[string]string{}, leftOut: map[string]bool{}}
	var reading sync.WaitGroup
	reading.Go(func() {
		err := crash.Caught(func() error { return e.all(root, from) })()
		switch {
		case errors.Is(err, durable.ErrNotRegular):
			err = refused("%v", err)
		case err != nil && strings.Contains(err.Error(), "escapes"): // os.Root has no error for it that can be compared
			err = refused("the folder has a link that leads out of it")
		}
		_ = w.CloseWithError(storage("the session folder cannot be read", err))
	})
	rec, err := s.take(ctx, newArchive(r, s.store.o.ImportBytes), project)
	reading.Wait()
	if err != nil || !inside {
		return rec, err
	}
	return rec, storage("the adopted copy could not be removed", discard(here))
}

// discard removes a session folder that is in nobody's index.
func discard(p sessionPath) error {
	base, err := os.OpenRoot(p.base)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	hidden := path.Join(path.Dir(p.rel), deletedPrefix+path.Base(p.rel)+"-"+rand.Text())
	if err := durable.Rename(base, p.rel, hidden); err != nil {
		return err
	}
	return durable.RemoveAll(base, hidden)
}

// tooLarge is the fault for an import over a limit, which the message names.
func tooLarge(format string, args ...any) *fault.Error {
	return fault.New(fault.RequestTooLarge, "import: "+format, args...).
		WithHint("raise the limit if the archive is to be trusted")
}

// refused is the fault for an import that is not a session.
func refused(format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidRequest, "import: "+format, args...).
		WithHint("import a file made by belay session export, or a copy of a session folder")
}

// importPrefix starts the name of the folder that an import is unpacked into.
const importPrefix = ".import-"

// take reads all of src into a hidden folder and, if it is a session, gives that
// folder its name.
func (s *Archive) take(ctx context.Context, src *archive, projectRoot string) (_ Imported, err error) {
	defer func() { err = errors.Join(err, src.src.Close()) }()
	project, err := checkRoot(projectRoot)
	if err != nil {
		return Imported{}, err
	}
	blobs, err := s.store.Blobs(project)
	if err != nil {
		return Imported{}, err
	}
	hidden := s.store.paths.pathIn(project, s.store.maker.unfinished(importPrefix, rand.Text()))
	base, err := openBase(hidden)
	if err != nil {
		return Imported{}, storage("the session could not be imported", err)
	}
	defer func() { _ = base.Close() }()
	defer func() {
		if err != nil {
			err = errors.Join(err, durable.RemoveAll(base, hidden.rel))
		}
	}()
	if err := durable.MkdirAll(base, path.Join(hidden.rel, dirLog), 0o700); err != nil {
		return Imported{}, storage("the session could not be imported", err)
	}
	root, err := base.OpenRoot(hidden.rel)
	if err != nil {
		return Imported{}, storage("the session could not be imported", err)
	}
	im := importer{store: s.store, root: root, blobs: blobs, got: map[string]string{}}
	err = im.all(ctx, src)
	if err == nil {
		err = im.settle(ctx)
	}
	rec, e := im.record()
	err = errors.Join(err, e)
	in := Imported{From: rec.SessionID}
	if err == nil {
		err = im.look(&in)
	}
	if err = errors.Join(err, root.Close()); err != nil {
		return Imported{}, err
	}
	in.Record, err = s.name(base, hidden, project, rec)
	return in, err
}

// name gives an unpacked session its id, its project and its name.
func (s *Archive) name(base *os.Root, hidden sessionPath, project string, rec Record) (Record, error) {
	lock, err := s.claim(&rec, project)
	if err != nil {
		return Record{}, storage("the session could not be imported", err)
	}
	rec.ProjectRoot = project
	rec.UpdatedAt = Time{s.store.o.Clock().UTC().Truncate(time.Millisecond)}
	p := s.store.paths.pathIn(project, rec.SessionID)
	root, err := base.OpenRoot(hidden.rel)
	if err == nil {
		err = errors.Join(s.noteImported(root, rec), writeRecord(root, rec, s.store.o.BootID), root.Close())
	}
	if err == nil {
		err = durable.Rename(base, hidden.rel, p.rel)
	}
	if err == nil {
		if err = s.finish(base, p, rec.SessionID); err != nil {
			err = errors.Join(err, durable.RemoveAll(base, p.rel)) // nobody has its id
		}
	}
	if err = errors.Join(err, lock.Unlock()); err != nil {
		return Record{}, storage("the session could not be imported", err)
	}
	return rec, nil
}

// finish makes a named session durable and findable.
func (s *Archive) finish(base *os.Root, p sessionPath, id string) error {
	if err := s.store.paths.flushNew(base, p); err != nil {
		return err
	}
	return s.store.paths.index(id, p)
}

// noteImported puts on the transcript what the record says now: the session may
// have another id and another project.
func (s *Archive) noteImported(root *os.Root, rec Record) error {
	line, err := sessionLine{Time: Time{s.store.o.Clock().UTC()}, Record: &rec, BootID: s.store.o.BootID}.encode()
	if err != nil {
		return err
	}
	lines, err := durable.OpenLines(root, fileTranscript, 0o600, durable.Imported)
	if err != nil {
		return err
	}
	if err = lines.Append(line); err == nil {
		err = lines.Sync()
	}
	return errors.Join(err, lines.Close())
}

// forgetEarlier removes what the state folder has of an earlier session of an id: what people
// allowed for that one does not hold for what comes in an archive.
func (s *Archive) forgetEarlier(id string) error {
	errs := []error{s.store.Signals.dropInputs(id), removeIfThere(s.store.stateDir.Root(), dirSegmentHashes+"/"+id)}
	if s.store.o.Forget != nil {
		errs = append(errs, s.store.o.Forget(id))
	}
	return errors.Join(errs...)
}

// claim takes the lock of the session's id when that is free, or of a new one,
// and clears what was recorded about an earlier session of that id.
func (s *Archive) claim(rec *Record, project string) (*durable.FileLock, error) {
	for {
		_, taken := s.store.paths.locate(rec.SessionID)
		lock, err := s.store.lock(rec.SessionID)
		// One whose project cannot be reached now comes back with it.
		free := fault.Is(taken, fault.SessionNotFound) && !s.store.paths.pathIn(project, rec.SessionID).exists()
		if err == nil && free {
			_, err := writeNote(lock.File(), note{})
			if err = errors.Join(err, s.forgetEarlier(rec.SessionID)); err != nil {
				return nil, errors.Join(err, lock.Unlock())
			}
			return lock, nil
		}
		if err == nil {
			err = lock.Unlock()
		}
		if err != nil && !errors.Is(err, durable.ErrLocked) {
			return nil, err
		}
		rec.SessionID = s.store.newID()
	}
}
