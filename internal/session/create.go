package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"belay/internal/durable"
	"belay/internal/workspace"
)

// Create makes a session in a project and returns its record. It survives a crash
// of the process; its first turn makes it survive a power cut. The project must be an existing folder, named absolutely
// (INVALID_REQUEST, WORKING_ROOT_INACCESSIBLE).
func (s *Store) Create(ctx context.Context, projectRoot, persona, mode string) (Record, error) {
	return s.CreateFrom(ctx, Record{ProjectRoot: projectRoot, Persona: persona, Mode: mode})
}

// CreateFrom is Create for a session of which more is known from the start: it takes all
// fields of the record but id and times.
func (s *Store) CreateFrom(ctx context.Context, rec Record) (Record, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, err
	}
	rec, transcript, err := s.make(rec, nil)
	if err == nil {
		s.remember(rec, transcript)
	}
	return rec, err
}

// Fork makes a new session in the project of another one, whose transcript begins
// with entries; origin says where they come from. It has that one's persona, mode
// and model, an id and an empty log of its own, and shares the project's blobs. It
// is durable when Fork returns, and the other session is not touched.
func (s *Store) Fork(ctx context.Context, origin Origin, entries []Entry) (Record, error) {
	from, err := s.Get(ctx, origin.SessionID)
	if err != nil {
		return Record{}, err
	}
	lines, err := encodeEntries(entries)
	if err != nil {
		return Record{}, err
	}
	rec, _, err := s.make(Record{
		ProjectRoot: from.ProjectRoot, Persona: from.Persona, Mode: from.Mode, Model: from.Model, PreferredModel: from.PreferredModel, ForkedFrom: &origin,
	}, lines)
	return rec, err
}

// make makes a session of a record without id and times, and returns the whole record
// and the transcript, whose later lines are given. A fork survives a power cut.
func (s *Store) make(rec Record, lines []byte) (_ Record, transcript []byte, err error) {
	if rec.ProjectRoot, err = checkRoot(rec.ProjectRoot); err != nil {
		return Record{}, nil, err
	}
	rec.SessionID = s.newID()
	rec.CreatedAt = Time{s.o.Clock().UTC().Truncate(time.Millisecond)}
	rec.UpdatedAt = rec.CreatedAt
	if !ValidID(rec.SessionID) {
		return Record{}, nil, fmt.Errorf("create session: the generated id %q is not well-formed", rec.SessionID)
	}
	transcript, err = sessionLine{Time: rec.CreatedAt, Record: &rec, BootID: s.o.BootID}.encode()
	transcript = append(transcript, lines...)
	if err == nil {
		err = s.write(rec, transcript)
	}
	if err != nil {
		return Record{}, nil, storage("the session could not be created", err)
	}
	return rec, transcript, nil
}

// write writes a new session's folder and its index entry. The folder gets its name
// when it is whole: a crash leaves none that looks like a session.
func (s *Store) write(rec Record, transcript []byte) (err error) {
	p := s.paths.pathIn(rec.ProjectRoot, rec.SessionID)
	base, err := openBase(p)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	sessions, err := openMade(base, path.Dir(p.rel))
	if err != nil {
		return err
	}
	defer func() { _ = sessions.Close() }()
	hidden := s.maker.unfinished(newPrefix, rec.SessionID)
	defer func() {
		if err != nil {
			err = errors.Join(err, durable.RemoveAll(sessions, hidden))
		}
	}()
	flush := rec.ForkedFrom != nil
	if err := s.writeSession(sessions, hidden, rec, transcript, flush); err != nil {
		return err
	}
	if err := durable.Rename(sessions, hidden, path.Base(p.rel)); err != nil {
		return err
	}
	if flush {
		if err := s.paths.flushNew(base, p); err != nil {
			return errors.Join(err, durable.RemoveAll(base, p.rel))
		}
	}
	err = s.paths.knowProject(rec.ProjectRoot) // lists of the sessions of all projects go by it
	if err == nil {
		err = s.paths.indexBy(durable.WriteNew, rec.SessionID, p)
	}
	if errors.Is(err, fs.ErrExist) {
		if known, ok := s.paths.indexed(rec.SessionID); ok && known == p {
			err = nil // a list came across the folder and has made the entry
		}
	}
	if err != nil {
		return errors.Join(err, durable.RemoveAll(base, p.rel)) // nobody has its id
	}
	return nil
}

// openMade opens a folder, making it where it is not there.
func openMade(base *os.Root, dir string) (*os.Root, error) {
	root, err := base.OpenRoot(dir)
	if !missing(err) {
		return root, err
	}
	if err := durable.MkdirAll(base, dir, 0o700); err != nil {
		return nil, err
	}
	return base.OpenRoot(dir)
}

// writeSession makes the folder of a new session and writes its transcript, and its
// record where that is flushed. Any other session.json comes with the first turn, which
// changes it: until then the transcript says what is in it.
func (s *Store) writeSession(sessions *os.Root, folder string, rec Record, transcript []byte, flush bool) error {
	if err := durable.Mkdir(sessions, folder, 0o700); err != nil {
		return err
	}
	root, err := sessions.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	w, err := durable.Create(root, fileTranscript, 0o600, durable.Transcript)
	if err != nil {
		return err
	}
	_, err = w.Write(transcript)
	if err == nil && flush {
		err = w.Sync()
	}
	if err := errors.Join(err, w.Close()); err != nil || !flush {
		return err
	}
	return writeRecord(root, rec, s.o.BootID)
}

// newPrefix starts the name of a session folder that is being made.
const newPrefix = ".new-"

// openBase opens the folder that a session's path begins in, making belay's own
// folder in a project when it is not there.
func openBase(p sessionPath) (*os.Root, error) {
	if !p.inProject() {
		if err := os.MkdirAll(p.base, 0o700); err != nil {
			return nil, err
		}
		return os.OpenRoot(p.base)
	}
	base, err := os.OpenRoot(p.base)
	if err != nil {
		return nil, err
	}
	if err := workspace.MakeBelay(base); err != nil {
		_ = base.Close()
		return nil, err
	}
	return base, nil
}

// remember keeps a session that was just made in memory: it will be used soon.
func (s *Store) remember(rec Record, transcript []byte) {
	p := s.paths.pathIn(rec.ProjectRoot, rec.SessionID)
	l, err := s.states.pin(rec.SessionID, &p)
	if err != nil {
		return // the store was closed; the session is there all the same
	}
	defer s.states.leave(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rec, l.unwritten = rec, true
	l.useSeen, _ = os.Lstat(p.file(fileTranscript))
	l.transcript.made(&rec, transcript, s.o.BootID)
	l.transcript.seen, l.log.loaded = l.useSeen, true
	l.noted, l.noteContent = []byte{}, l.note() // the lock file is empty
}
