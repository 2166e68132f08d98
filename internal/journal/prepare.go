package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"

	"belay/internal/durable"
	"belay/internal/workspace"
)

// slot is the name of the content of a change, in the folder of the transaction;
// spare that of a copy of what it replaces.
func slot(i int) string  { return strconv.Itoa(i) }
func spare(i int) string { return "o" + strconv.Itoa(i) }

func (tx *Tx) slot(i int) durable.Entry  { return durable.Entry{Folder: tx.dir, Name: slot(i)} }
func (tx *Tx) spare(i int) durable.Entry { return durable.Entry{Folder: tx.dir, Name: spare(i)} }

// Prepare writes the new contents and makes them durable, and the files that are
// replaced as well: their owners may never have flushed them. The project's files
// stay as they are. After an error nothing is left.
func (tx *Tx) Prepare() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.drop())
		}
	}()
	above, err := tx.makeDir()
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	work := []func() error{
		func() error { return durable.FlushDir(tx.dir, ".", durable.Original) },
		func() error { return durable.FlushDir(tx.p.root, dirJournal, durable.Original) },
	}
	named := tx.p.s.sure.holds(tx.p.path, above)
	if !named {
		work = append(work,
			func() error { return durable.FlushDir(tx.p.root, dirBelay, durable.Original) },
			func() error { return durable.FlushDir(tx.p.root, ".", durable.Original) })
	}
	for i := range tx.rec.Changes {
		c := &tx.rec.Changes[i]
		if c.places() {
			flush, err := tx.fill(i)
			if err != nil {
				return fmt.Errorf("journal: the new content of %s: %w", c.Path, err)
			}
			if flush != nil {
				work = append(work, flush)
			}
		}
		if c.Before.Type == File && (c.places() || c.takes()) {
			work = append(work, func() error { return tx.p.flushOriginal(c) })
		}
	}
	if err := durable.Together(work...); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if !named {
		tx.p.s.sure.note(tx.p.path, above)
	}
	return nil
}

// makeDir makes the folder of the transaction's contents, and returns the one that
// it lies in.
func (tx *Tx) makeDir() (fs.FileInfo, error) {
	root := tx.p.root
	if _, err := root.Lstat(dirJournal); errors.Is(err, fs.ErrNotExist) {
		if err := workspace.MakeBelay(root); err != nil {
			return nil, err
		}
		if err := durable.MkdirAll(root, dirJournal, 0o700); err != nil {
			return nil, err
		}
	}
	above, err := durable.OpenFolder(root, dirJournal)
	if err != nil {
		return nil, err
	}
	defer above.Close()
	if err := durable.Mkdir(above, tx.rec.ID, 0o700); err != nil {
		return nil, err
	}
	if tx.dir, err = durable.OpenFolder(above, tx.rec.ID); err != nil {
		return nil, err
	}
	return above.Stat(".")
}

// fill makes what a change is to put in its place, and returns what makes the
// content durable, nil for nothing.
func (tx *Tx) fill(i int) (flush func() error, err error) {
	c, e := &tx.rec.Changes[i], tx.slot(i)
	above := tx.around(i)
	mode := c.After.Mode
	if mode == 0 && c.Before.Type == File {
		mode = c.Before.Mode.Perm()
	}
	switch c.Op {
	case Mkdir:
		err = durable.Mkdir(e.Folder, e.Name, cmp.Or(mode, 0o777))
	case Symlink:
		err = durable.Symlink(e.Folder, string(c.After.Target), e.Name)
	default:
		flush, err = tx.write(i, cmp.Or(mode, 0o666))
	}
	if err != nil {
		return flush, err
	}
	// The owner first: a change of owner takes special bits away.
	uid, gid := -1, -1
	if c.Before.Type != None {
		uid, gid = c.Before.UID, c.Before.GID
	} else if above.Mode&fs.ModeSetgid != 0 {
		gid = above.GID
	}
	now, err := look(e, false)
	if err != nil {
		return flush, err
	}
	if uid >= 0 && uid != now.UID || gid >= 0 && gid != now.GID {
		_ = durable.Chown(e.Folder, e.Name, uid, gid) // not being allowed to is no fault
	}
	if mode == 0 {
		mode = now.Mode
	}
	if c.Op == Mkdir {
		mode |= above.Mode & fs.ModeSetgid
	}
	if now, err = look(e, false); err == nil && c.Op != Symlink && now.Mode != mode {
		err = durable.Chmod(e.Folder, e.Name, mode)
		now.Mode = mode
	}
	now.SHA256 = c.After.SHA256
	c.After = now
	if c.Op == Mkdir && err == nil {
		tx.folders[string(c.Path)] = now
	}
	return flush, err
}

// around is the folder that change i is made in, maybe by a change before it;
// nothing where it is not known.
func (tx *Tx) around(i int) State {
	if tx.folders == nil {
		tx.folders = map[string]State{}
	}
	dir := path.Dir(string(tx.rec.Changes[i].Path))
	if s, ok := tx.folders[dir]; ok {
		return s
	}
	folder, err := durable.OpenFolder(tx.p.root, dir)
	if err != nil {
		return State{}
	}
	defer folder.Close()
	s, _ := look(durable.Entry{Folder: folder, Name: "."}, false) // it was opened
	tx.folders[dir] = s
	return s
}

// write writes the content of a file.
func (tx *Tx) write(i int, mode fs.FileMode) (flush func() error, err error) {
	c := &tx.rec.Changes[i]
	if tx.content[i] == nil {
		return nil, errors.New("there is none")
	}
	from, err := tx.content[i]()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	w, err := durable.Create(tx.dir, slot(i), mode, durable.Original)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(w, io.TeeReader(from, h))
	if err == nil && hex.EncodeToString(h.Sum(nil)) != c.After.SHA256 {
		err = &ContentError{c.Path}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return func() error { return flushFile(tx.slot(i), durable.Original) }, nil
}

// flushFile makes a file's content durable.
func flushFile(e durable.Entry, kind *durable.File) error {
	f, _, err := durable.OpenEntry(e)
	if err != nil {
		return err
	}
	return errors.Join(durable.FlushOf(f, filepath.Join(e.Folder.Name(), e.Name), kind).Sync(), f.Close())
}

// flushOriginal makes a file durable that is about to be replaced. One that
// belay may not read stays as durable as it is.
func (p *Project) flushOriginal(c *Change) error {
	e, err := p.entry(c.Path)
	if gone(err) {
		return nil // an earlier change moves it
	} else if err != nil {
		return err
	}
	defer e.Folder.Close()
	err = flushFile(e, durable.ProjectFile)
	if gone(err) || errors.Is(err, durable.ErrNotRegular) || errors.Is(err, fs.ErrPermission) {
		return nil // Apply says what is wrong; and some systems flush only what may be written
	}
	return err
}
