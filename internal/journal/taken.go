package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"belay/internal/durable"
)

// This file is about contents that a transaction takes instead of copying them. The
// folder that they lie in is moved into that of the transaction, under a name that
// says where it was: whatever a crash leaves, both are found together. What is
// replaced gets the place of what replaces it there.

// dirTemp is where contents lie that nobody takes up again after a crash.
const dirTemp = dirBelay + "/tmp"

// checkFrom refuses what is no folder in .belay.
func checkFrom(name Name) error {
	if err := checkPath(name, true); err != nil || !strings.HasPrefix(string(name), dirBelay+"/") {
		return errPath
	}
	return nil
}

// treeName is the name, in a folder of the journal, of contents that were taken from
// a folder; fromOf is the reverse.
func treeName(from Name) string { return url.PathEscape(string(from)) }

func fromOf(name string) (Name, bool) {
	from, err := url.PathUnescape(name)
	if err != nil || from == name || treeName(Name(from)) != name || checkFrom(Name(from)) != nil {
		return "", false
	}
	return Name(from), true
}

// bring moves the contents of a plan into the folder of the transaction. Where the
// file system cannot, they are copied.
func (tx *Tx) bring(from Name) error {
	if err := checkFrom(from); err != nil {
		return err
	}
	e, err := tx.p.openEntry(from)
	if err != nil {
		return err
	}
	defer e.Folder.Close()
	if err := durable.Chmod(e.Folder, e.Name, 0o700); err != nil { // to be moved it must be writable
		return err
	}
	err = tx.p.s.renameNew(e, durable.Entry{Folder: tx.dir, Name: treeName(from)})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	} else if err != nil {
		return err
	}
	tx.rec.From = from
	if tx.tree, err = durable.OpenFolder(tx.dir, treeName(from)); err != nil {
		return err
	}
	is, err := look(durable.Entry{Folder: tx.tree, Name: "."}, false)
	tx.device = is.Device
	return err
}

// inspect looks at the content that change i is to put in its place. What can be
// taken gets the owner and the permissions that it is to have, and is made durable
// unless it is loose; a content that the change does not know is a [*ContentError].
// Above is the folder around it. It may run for several changes at a time.
func (tx *Tx) inspect(i int, above State, e durable.Entry, err error) error {
	c := &tx.rec.Changes[i]
	if gone(err) {
		return &ContentError{c.Path}
	} else if err != nil {
		return err
	}
	if c.Op == Symlink {
		now, err := look(e, false)
		if err == nil && (now.Type != Link || now.Target != c.After.Target) {
			err = &ContentError{c.Path}
		}
		c.After, c.Taken = now, err == nil
		return err
	}
	f, info, err := durable.OpenEntry(e)
	if gone(err) || errors.Is(err, durable.ErrNotRegular) {
		return &ContentError{c.Path}
	} else if err != nil {
		return err
	}
	defer f.Close()
	if c.Seen == nil || !untouched(c.Seen, info) {
		if sum, err := sumOf(f); err != nil {
			return err
		} else if sum != c.After.SHA256 {
			return &ContentError{c.Path}
		}
	}
	now := State{Type: File}
	now.identify(info)
	if now.Links != 1 || !alone(f) || !strip(f) {
		return nil // it is copied
	}
	if err := tx.own(f, c, &now, above, info.Mode()); err != nil {
		return err
	}
	if info, err = f.Stat(); err != nil {
		return err
	}
	now = State{Type: File, Mode: info.Mode() & modeBits, Size: info.Size(), SHA256: c.After.SHA256}
	now.identify(info)
	c.After, c.Taken = now, true
	if c.Loose {
		return nil
	}
	return durable.FlushOf(f, filepath.Join(tx.tree.Name(), string(c.Path)), durable.Original).Sync()
}

// own gives an open file or folder, which is like now, the owner and the permissions
// that change c says.
func (tx *Tx) own(f *os.File, c *Change, now *State, above State, mode fs.FileMode) error {
	uid, gid := c.owner(above)
	if uid >= 0 && uid != now.UID || gid >= 0 && gid != now.GID {
		_ = durable.Chown(tx.tree, string(c.Path), uid, gid) // not being allowed to is no fault
		info, err := f.Stat()
		if err != nil {
			return err
		}
		mode = info.Mode()
	}
	want := c.mode()
	if want == 0 {
		want = mode & modeBits
	}
	if c.Op == Mkdir {
		want |= above.Mode & fs.ModeSetgid
	}
	if mode&modeBits == want {
		return nil
	}
	return durable.Chmod(tx.tree, string(c.Path), want)
}

func sumOf(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

// restore moves contents that were taken back to where they were.
func (tx *Tx) restore() error {
	if !tx.returns() {
		return nil
	}
	stays, err := tx.p.putBack(tx.dir, tx.dead)
	tx.stuck = tx.stuck || stays
	return err
}

// returns reports whether contents that were taken go back to where they were.
func (tx *Tx) returns() bool {
	return tx.rec.From != "" && !(tx.dead && isTemp(tx.rec.From))
}

func isTemp(from Name) bool { return strings.HasPrefix(string(from), dirTemp+"/") }

// putBack moves what was taken into a folder of the journal back to where it was. It
// stays where that is gone or something else is there, and where its process is dead and
// nobody takes it up again. Stays is set where a person's kept change does: it must not be
// removed.
func (p *Project) putBack(dir *os.Root, dead bool) (stays bool, err error) {
	in, err := fs.ReadDir(dir.FS(), ".")
	for _, e := range in {
		from, ok := fromOf(e.Name())
		if !ok || err != nil || dead && isTemp(from) {
			continue
		}
		to, openErr := p.openEntry(from)
		if gone(openErr) {
			stays = stays || !isTemp(from)
			continue
		} else if openErr != nil {
			return stays, openErr
		}
		err = p.s.renameNew(durable.Entry{Folder: dir, Name: e.Name()}, to)
		if errors.Is(err, fs.ErrExist) {
			stays, err = stays || !isTemp(from), nil
		}
		err = errors.Join(err, to.Folder.Close())
	}
	return stays, err
}

// putBackOf is putBack of a transaction whose process is dead.
func (p *Project) putBackOf(id string) (stays bool, err error) {
	dir, err := durable.OpenFolder(p.root, path.Join(dirJournal, id))
	if gone(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	stays, err = p.putBack(dir, true)
	if err := errors.Join(err, dir.Close()); err != nil {
		return stays, fmt.Errorf("give back what was taken: %w", err)
	}
	return stays, nil
}

// orphaned removes contents without a record: their transaction never began, and what
// it had taken goes back.
func (p *Project) orphaned(id string) error {
	stays, err := p.putBackOf(id)
	if err != nil {
		return err
	}
	if stays {
		return p.keep(id)
	}
	return p.discard(id)
}

// inspectAll inspects the contents that were taken, and finds the new folders that
// can be moved as a whole.
func (tx *Tx) inspectAll() error {
	work := byFolder{last: durable.LastFolder{Root: tx.tree}}
	defer work.close()
	for i := range tx.rec.Changes {
		if c := &tx.rec.Changes[i]; c.places() && c.Op != Mkdir {
			above := tx.around(i)
			err := work.add(string(c.Path), func(e durable.Entry, err error) error { return tx.inspect(i, above, e, err) })
			if err != nil {
				return err
			}
		}
	}
	if err := work.run(); err != nil {
		return err
	}
	if err := tx.findWhole(); err != nil {
		return err
	}
	tx.arrange()
	return nil
}
