package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"belay/internal/durable"
)

// inspectAll inspects the contents that were taken, and finds the new folders that
// can be moved as a whole.
func (prep *preparation) inspectAll() error {
	work := byFolder{last: durable.LastFolder{Root: prep.tx.tree}}
	defer work.close()
	for i := range prep.tx.rec.Changes {
		if c := &prep.tx.rec.Changes[i]; c.places() && c.Op != Mkdir {
			above := prep.around(i)
			err := work.add(string(c.Path), func(e durable.Entry, err error) error { return prep.inspect(i, above, e, err) })
			if err != nil {
				return err
			}
		}
	}
	if err := work.run(); err != nil {
		return err
	}
	for i := range prep.tx.rec.Changes {
		if prep.tx.rec.Changes[i].Tree != nil {
			if err := prep.takeTree(i); err != nil {
				return err
			}
		}
	}
	if err := prep.findWhole(); err != nil {
		return err
	}
	prep.tx.arrange()
	return nil
}

// inspect looks at the content that change i is to put in its place. What can be
// taken gets the owner and the permissions that it is to have, and is made durable
// unless it is loose or all is flushed at once; a content that the change does not know is a [*ContentError].
// Above is the folder around it. It may run for several changes at a time.
func (prep *preparation) inspect(i int, above State, e durable.Entry, err error) error {
	c := &prep.tx.rec.Changes[i]
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
	if err := prep.own(f, c, &now, above, info.Mode()); err != nil {
		return err
	}
	if info, err = f.Stat(); err != nil {
		return err
	}
	now = State{Type: File, Mode: info.Mode() & modeBits, Size: info.Size(), SHA256: c.After.SHA256}
	now.identify(info)
	c.After, c.Taken = now, true
	if c.Loose || prep.atOnce {
		return nil
	}
	return durable.FlushOf(f, filepath.Join(prep.tx.tree.Name(), string(c.Path)), durable.Original).Sync()
}

// own gives an open file or folder, which is like now, the owner and the permissions
// that change c says.
func (prep *preparation) own(f *os.File, c *Change, now *State, above State, mode fs.FileMode) error {
	uid, gid := c.owner(above)
	if uid >= 0 && uid != now.UID || gid >= 0 && gid != now.GID {
		_ = durable.Chown(prep.tx.tree, string(c.Path), uid, gid) // not being allowed to is no fault
		info, err := f.Stat()
		if err != nil {
			return err
		}
		mode = info.Mode()
	}
	want := cmp.Or(c.mode(), mode&modeBits)
	if c.Op == Mkdir {
		want |= above.Mode & fs.ModeSetgid
	}
	if mode&modeBits == want {
		return nil
	}
	return durable.Chmod(prep.tx.tree, string(c.Path), want)
}

func sumOf(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}
