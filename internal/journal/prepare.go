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

// slot is the name of the content of a change, in the folder of the transaction, where
// it was not taken; spare that of a copy of what it replaces.
func slot(i int) string  { return strconv.Itoa(i) }
func spare(i int) string { return "o" + strconv.Itoa(i) }

// slot is where the content of change i lies, and what it replaced afterwards.
func (tx *Tx) slot(i int) durable.Entry {
	if c := &tx.rec.Changes[i]; c.Taken && tx.tree != nil {
		tx.taken.Root = tx.tree
		if e, err := tx.taken.Entry(string(c.Path)); err == nil {
			return e
		}
		return durable.Entry{Folder: tx.tree, Name: string(c.Path)} // it leads nowhere
	}
	return durable.Entry{Folder: tx.dir, Name: slot(i)}
}

// slotName is the path of a slot in the folder of the transaction.
func (tx *Tx) slotName(i int) string {
	if c := &tx.rec.Changes[i]; c.Taken {
		return path.Join(treeName(tx.rec.From), string(c.Path))
	}
	return slot(i)
}

func (tx *Tx) spare(i int) durable.Entry { return durable.Entry{Folder: tx.dir, Name: spare(i)} }

// Prepare puts the new contents into the journal and makes them durable, and the files
// that are replaced as well: their owners may never have flushed them. The project's
// files stay as they are. After an error nothing is left.
func (tx *Tx) Prepare() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.drop())
		}
	}()
	above, err := tx.makeDir()
	if err == nil && tx.contents != "" {
		if !isTemp(tx.contents) {
			// A power cut must not lose the folder, with what was taken in it.
			err = durable.Together(tx.nameDir(above)...)
		}
		if err == nil {
			err = tx.bring(tx.contents)
		}
	}
	if err == nil && tx.tree != nil {
		err = tx.inspectAll()
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	originals := byFolder{last: durable.LastFolder{Root: tx.p.root}}
	defer originals.close()
	work := append(tx.names(), tx.nameDir(above)...)
	for i := range tx.rec.Changes {
		c := &tx.rec.Changes[i]
		if c.places() && !c.Taken {
			flush, err := tx.fill(i)
			if err != nil {
				return fmt.Errorf("journal: the new content of %s: %w", c.Path, err)
			}
			if flush != nil {
				work = append(work, flush)
			}
		} else if c.Loose && c.Op == Create && !tx.isPart(i) {
			work = append(work, func() error {
				return flushFile(durable.Entry{Folder: tx.tree, Name: string(c.Path)}, durable.Original)
			})
		}
		if c.Before.Type == File && (c.places() || c.takes()) {
			if err := originals.add(string(c.Path), flushOriginal); err != nil {
				return fmt.Errorf("journal: %w", err)
			}
		}
	}
	if err := durable.Together(append(work, originals.run)...); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	tx.p.s.sure.note(tx.p.path, above)
	return nil
}

// nameDir makes the name of the transaction's folder durable; above is what it lies in.
func (tx *Tx) nameDir(above fs.FileInfo) []func() error {
	if tx.named {
		return nil
	}
	tx.named = true
	work := []func() error{func() error { return durable.FlushDir(tx.p.root, dirJournal, durable.Original) }}
	if !tx.p.s.sure.holds(tx.p.path, above) {
		work = append(work,
			func() error { return durable.FlushDir(tx.p.root, dirBelay, durable.Original) },
			func() error { return durable.FlushDir(tx.p.root, ".", durable.Original) })
	}
	return work
}

// names make the names of the contents durable.
func (tx *Tx) names() []func() error {
	work := []func() error{func() error { return durable.FlushDir(tx.dir, ".", durable.Original) }}
	seen := map[string]bool{}
	for i := range tx.rec.Changes {
		c := &tx.rec.Changes[i]
		if !c.Taken || c.Loose && tx.isPart(i) {
			continue
		}
		for dir := path.Dir(string(c.Path)); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			work = append(work, func() error { return durable.FlushDir(tx.tree, dir, durable.Original) })
		}
	}
	return work
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
	above, mode := tx.around(i), c.mode()
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
	uid, gid := c.owner(above)
	now, err := look(e, false)
	if err != nil {
		return flush, err
	}
	if uid >= 0 && uid != now.UID || gid >= 0 && gid != now.GID {
		_ = durable.Chown(e.Folder, e.Name, uid, gid) // not being allowed to is no fault
		if now, err = look(e, false); err != nil {
			return flush, err
		}
	}
	if mode == 0 {
		mode = now.Mode
	}
	if c.Op == Mkdir {
		mode |= above.Mode & fs.ModeSetgid
	}
	if c.Op != Symlink && now.Mode != mode {
		err = durable.Chmod(e.Folder, e.Name, mode)
		now.Mode = mode
	}
	now.SHA256 = c.After.SHA256
	c.After = now
	return flush, err
}

// mode are the permissions that a change is to give, 0 for those of something new.
func (c *Change) mode() fs.FileMode {
	if c.After.Mode == 0 && c.Before.Type == File {
		return c.Before.Mode.Perm()
	}
	return c.After.Mode
}

// owner is whom a change is to give what it puts in its place, -1 for whom it belongs
// to anyway. Above is the folder around it.
func (c *Change) owner(above State) (uid, gid int) {
	switch {
	case c.Before.Type != None:
		return c.Before.UID, c.Before.GID
	case above.Mode&fs.ModeSetgid != 0:
		return -1, above.GID
	}
	return -1, -1
}

// around is the folder that change i is made in: what a change makes inherits from it.
func (tx *Tx) around(i int) State { return tx.folder(path.Dir(string(tx.rec.Changes[i].Path))) }

// folder is a folder of the project; one that is not there yet inherits from the one
// around it.
func (tx *Tx) folder(dir string) (s State) {
	if s, ok := tx.folders[dir]; ok {
		return s
	}
	if folder, err := durable.OpenFolder(tx.p.root, dir); err == nil {
		s, _ = look(durable.Entry{Folder: folder, Name: "."}, false) // it was opened
		_ = folder.Close()                                           // it was only looked at
	} else if dir != "." {
		above := tx.folder(path.Dir(dir))
		s = State{Type: Folder, Mode: above.Mode & fs.ModeSetgid, GID: above.GID, Device: above.Device}
	}
	if tx.folders == nil {
		tx.folders = map[string]State{}
	}
	tx.folders[dir] = s
	return s
}

// write writes the content of a file.
func (tx *Tx) write(i int, mode fs.FileMode) (flush func() error, err error) {
	c := &tx.rec.Changes[i]
	from, err := tx.open(i)
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

// open opens the content of change i.
func (tx *Tx) open(i int) (io.ReadCloser, error) {
	if tx.tree != nil {
		f, _, err := durable.OpenEntry(durable.Entry{Folder: tx.tree, Name: string(tx.rec.Changes[i].Path)})
		return f, err
	}
	if tx.content[i] == nil {
		return nil, errors.New("there is none")
	}
	return tx.content[i]()
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
func flushOriginal(e durable.Entry, err error) error {
	if err == nil {
		err = flushFile(e, durable.ProjectFile)
	}
	// What an earlier change moves, and what is wrong, is Apply's; and some systems flush
	// only what may be written.
	if gone(err) || errors.Is(err, durable.ErrNotRegular) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
