package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"belay/internal/durable"
	"belay/internal/journal"
)

// maxDepth is how deep folders may be in each other in such a folder.
const maxDepth = 400

// tree makes the folder that was added last come with all the content of it. What can never
// be applied is removed from the upper directory.
func (w *walk) tree(folder *os.Root, name string) error {
	left := journal.MaxTree
	if err := w.scrub(folder, name, 0, &left); err != nil {
		return err
	}
	t, err := journal.LookTree(w.u.files, journal.Name(name))
	if err != nil {
		return err
	}
	w.folders[len(w.folders)-1].Tree = &t
	return nil
}

func (w *walk) scrub(folder *os.Root, at string, depth int, left *int) error {
	f, err := openFolder(folder)
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	if err = errors.Join(err, f.Close(), w.ctx.Err()); err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(at, e.Name())
		if *left--; *left < 0 || depth > maxDepth || len(name) > journal.MaxPath {
			return &TooManyIgnoredError{at}
		}
		if stays, err := w.scrubEntry(folder, e.Name(), name); err != nil {
			return err
		} else if !stays || !e.IsDir() {
			continue
		}
		in, err := durable.EnterFolder(folder, e.Name())
		if err != nil {
			return err
		}
		err = w.scrub(in, name, depth+1, left)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// scrubEntry removes an entry of a new folder that can never be applied, and gives others
// the permissions that they may have.
func (w *walk) scrubEntry(folder *os.Root, base, name string) (stays bool, err error) {
	c, info, err := entryOf(folder, base, name)
	if err != nil {
		return false, err
	}
	why := ""
	if c == nil {
		why = "is neither a file, a folder nor a link"
	} else if refused, err := w.u.Admit(c); err != nil {
		return false, err
	} else if refused != nil {
		why = "was left out: " + refused.Error()
	}
	if why != "" {
		w.drop(name, why)
		return false, durable.RemoveAll(folder, base)
	}
	mode := info.Mode()
	switch {
	case mode.IsDir() && mode.Perm()&0o700 != 0o700:
		return true, durable.Chmod(folder, base, mode.Perm()|0o700)
	case !mode.IsRegular():
		return true, nil
	}
	if w.bytes += info.Size(); w.u.MostBytes > 0 && w.bytes > w.u.MostBytes {
		return false, &TooLargeError{w.u.MostBytes}
	}
	if perm := w.permissions(info, name); perm != mode.Perm() || mode&special != 0 {
		return true, durable.Chmod(folder, base, perm)
	}
	return true, nil
}

// entryOf is an entry of a new folder as a change that makes it, nil for what is neither a
// file nor a folder nor a link.
func entryOf(folder *os.Root, base, name string) (*journal.Change, fs.FileInfo, error) {
	info, err := folder.Lstat(base)
	if err != nil {
		return nil, nil, err
	}
	c := &journal.Change{Path: journal.Name(name)}
	switch info.Mode().Type() {
	case 0:
		c.Op, c.After = journal.Create, journal.State{Type: journal.File, Mode: info.Mode().Perm(), Size: info.Size()}
	case fs.ModeDir:
		c.Op, c.After = journal.Mkdir, journal.State{Type: journal.Folder, Mode: info.Mode().Perm()}
	case fs.ModeSymlink:
		target, err := folder.Readlink(base)
		if err != nil {
			return nil, nil, err
		}
		c.Op, c.After = journal.Symlink, journal.State{Type: journal.Link, Target: journal.Name(target)}
	default:
		return nil, info, nil
	}
	return c, info, nil
}

// EachOf calls see for everything in a folder of contents, as changes that make it, without
// keeping more than one folder of it in memory. The contents are relative to the project, the
// folder to both. More than [journal.MaxTree] is a [*TooManyIgnoredError].
func EachOf(project *os.Root, contents, name journal.Name, see func(c *journal.Change) error) error {
	folder, err := durable.OpenFolder(project, path.Join(string(contents), string(name)))
	if err != nil {
		return err
	}
	defer folder.Close()
	left := journal.MaxTree
	return each(folder, string(name), 0, &left, see)
}

func each(folder *os.Root, at string, depth int, left *int, see func(c *journal.Change) error) error {
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(at, e.Name())
		if *left--; *left < 0 || depth > maxDepth {
			return &TooManyIgnoredError{at}
		}
		c, _, err := entryOf(folder, e.Name(), name)
		switch {
		case err != nil:
			return err
		case c == nil:
			return fmt.Errorf("%s: %w", name, durable.ErrNotRegular)
		}
		if err := see(c); err != nil {
			return err
		}
		if c.Op != journal.Mkdir {
			continue
		}
		in, err := durable.EnterFolder(folder, e.Name())
		if err != nil {
			return err
		}
		err = each(in, name, depth+1, left, see)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}
