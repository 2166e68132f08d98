package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"

	"belay/internal/durable"
)

// fill makes what a change is to put in its place, and returns what makes the
// content durable, nil for nothing.
func (prep *preparation) fill(i int) (flush func() error, err error) {
	c, e := &prep.tx.rec.Changes[i], prep.tx.step(i).slot()
	mode := c.mode()
	switch c.Op {
	case Mkdir:
		err = durable.Mkdir(e.Folder, e.Name, cmp.Or(mode, 0o777))
	case Symlink:
		err = durable.Symlink(e.Folder, string(c.After.Target), e.Name)
	default:
		flush, err = prep.write(i, cmp.Or(mode, 0o666))
	}
	if err != nil {
		return flush, err
	}
	var above State
	if c.Before.Type == None {
		above = prep.around(i)
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
	mode = cmp.Or(mode, now.Mode)
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
func (prep *preparation) around(i int) State {
	return prep.folder(path.Dir(string(prep.tx.rec.Changes[i].Path)))
}

// folder is a folder of the project; one that is not there yet inherits from the one
// around it.
func (prep *preparation) folder(dir string) (s State) {
	if s, ok := prep.folders[dir]; ok {
		return s
	}
	if folder, err := durable.OpenFolder(prep.tx.p.root, dir); err == nil {
		s, _ = look(durable.Entry{Folder: folder, Name: "."}, false) // it was opened
		_ = folder.Close()                                           // it was only looked at
	} else if dir != "." {
		above := prep.folder(path.Dir(dir))
		s = State{Type: Folder, Mode: above.Mode & fs.ModeSetgid, GID: above.GID, Device: above.Device}
	}
	prep.folders[dir] = s
	return s
}

// write writes the content of a file.
func (prep *preparation) write(i int, mode fs.FileMode) (flush func() error, err error) {
	c := &prep.tx.rec.Changes[i]
	from, err := prep.open(i)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	w, err := durable.Create(prep.tx.dir, slot(i), mode, durable.Original)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(w, h), from)
	if err == nil && hex.EncodeToString(h.Sum(nil)) != c.After.SHA256 {
		err = &ContentError{c.Path}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return func() error { return flushFile(prep.tx.step(i).slot(), durable.Original) }, nil
}

// open opens the content of change i.
func (prep *preparation) open(i int) (io.ReadCloser, error) {
	if prep.tx.tree != nil {
		f, _, err := durable.OpenEntry(durable.Entry{Folder: prep.tx.tree, Name: string(prep.tx.rec.Changes[i].Path)})
		return f, err
	}
	if prep.tx.content[i] == nil {
		return nil, errors.New("there is none")
	}
	return prep.tx.content[i]()
}
