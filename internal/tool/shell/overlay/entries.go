package overlay

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"belay/internal/durable"
	"belay/internal/journal"
)

// dir adds a folder and what is in it. One that nobody could enter could not be
// filled, so a new folder is open at least to its owner.
func (w *walk) dir(upper, lower *os.Root, base, name string, was, now fs.FileInfo, hides bool) error {
	mode := now.Mode().Perm()
	switch {
	case was == nil:
		err := w.add(&w.folders, journal.Change{
			Op: journal.Mkdir, Path: journal.Name(name), After: journal.State{Type: journal.Folder, Mode: mode | 0o700},
		})
		if err != nil {
			return err
		}
		if mode&0o700 != 0o700 {
			if w.opened++; w.opened == 1 {
				w.firstOpened = name
			}
		}
	case was.Mode().Perm() != mode:
		err := w.add(&w.modes, journal.Change{
			Op: journal.Mode, Path: journal.Name(name),
			Before: journal.State{Type: journal.Folder, Mode: was.Mode().Perm()}, After: journal.State{Type: journal.Folder, Mode: mode},
		})
		if err != nil {
			return err
		}
	}
	if mode&0o700 != 0o700 {
		if err := durable.Chmod(upper, base, 0o700); err != nil {
			return err
		}
	}
	up, err := upper.OpenRoot(base)
	if err != nil {
		return err
	}
	defer up.Close()
	if was == nil {
		// A command cannot move a folder of the project: somebody else moved or removed it.
		copy, err := began(up)
		if err != nil {
			return err
		}
		if copy {
			w.conflicts = append(w.conflicts, name)
		}
	}
	if was == nil && w.trees {
		if ignored, err := w.u.Ignored(name); err != nil {
			return err
		} else if ignored {
			return w.tree(up, name)
		}
	}
	var low *os.Root
	if was != nil {
		if low, err = durable.EnterFolder(lower, base); err != nil {
			return err
		}
		defer low.Close()
		if another, err := w.isAnother(up, low); err != nil {
			return err
		} else if another {
			defer w.replaced()()
		}
	}
	return w.folder(up, low, name, hides)
}

// link adds a link that leads elsewhere than it did.
func (w *walk) link(upper, lower *os.Root, base, name string, was fs.FileInfo) error {
	target, err := upper.Readlink(base)
	if err != nil {
		return err
	}
	c := journal.Change{Op: journal.Symlink, Path: journal.Name(name), After: journal.State{Type: journal.Link, Target: journal.Name(target)}}
	if c.Before, err = w.state(lower, base, name, was); err != nil || c.Before.Target == c.After.Target {
		return err
	}
	return w.add(&w.files, c)
}

// file adds a file whose content or permissions are not what they were.
func (w *walk) file(upper, lower *os.Root, base, name string, was, now fs.FileInfo) error {
	if now.Mode().Perm()&0o400 == 0 { // a command may have closed its file
		if err := durable.Chmod(upper, base, now.Mode().Perm()|0o400); err != nil {
			return err
		}
	}
	if w.bytes += now.Size(); w.u.MostBytes > 0 && w.bytes > w.u.MostBytes {
		return &TooLargeError{w.u.MostBytes}
	}
	sum, seen, origin, err := w.hash(upper, base)
	if err != nil {
		return err
	}
	c := journal.Change{
		Op: journal.Replace, Path: journal.Name(name),
		After:   journal.State{Type: journal.File, SHA256: sum, Mode: w.permissions(now, name), Size: now.Size()},
		Content: w.u.content(name), Seen: seen,
	}
	if was == nil {
		c.Op = journal.Create
		if origin && lower != nil {
			// It is a copy of a file that the command has moved here, or that somebody
			// else has removed from here.
			folder, err := lower.Stat(".")
			if err != nil {
				return err
			}
			if w.isLater(folder) {
				w.conflicts = append(w.conflicts, name)
			}
		}
		return w.add(&w.files, c)
	}
	if c.Before, err = w.state(lower, base, name, was); err != nil {
		return err
	}
	if c.Before.SHA256 != c.After.SHA256 {
		return w.add(&w.files, c)
	}
	if c.Before.Mode == c.After.Mode {
		return nil
	}
	return w.add(&w.modes, journal.Change{Op: journal.Mode, Path: c.Path, Before: c.Before, After: c.After})
}

// remove adds that a file is gone, or a folder with all that is in it. A folder in
// which somebody puts something meanwhile stays.
func (w *walk) remove(lower *os.Root, base, name string) error {
	was, err := lower.Lstat(base)
	if err != nil {
		return err
	}
	if !was.IsDir() {
		before, err := w.state(lower, base, name, was)
		if err != nil {
			return err
		}
		if before.Type == journal.None {
			w.drop(name, "is neither a file, a folder nor a link")
			return nil
		}
		return w.add(&w.gone, journal.Change{Op: journal.Remove, Path: journal.Name(name), Before: before})
	}
	folder, err := durable.EnterFolder(lower, base)
	if err != nil {
		return err
	}
	defer folder.Close()
	if w.isLater(was) {
		defer w.replaced()()
	}
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if at := path.Join(name, e.Name()); at != dirBelay {
			if err := w.remove(folder, e.Name(), at); err != nil {
				return err
			}
		}
	}
	return w.add(&w.gone, journal.Change{
		Op: journal.Rmdir, Path: journal.Name(name), IfEmpty: true,
		Before: journal.State{Type: journal.Folder, Mode: was.Mode().Perm()},
	})
}

// state is what the project has at a path, nothing for a nil was. What was changed
// after the command had begun is a conflict.
func (w *walk) state(lower *os.Root, base, name string, was fs.FileInfo) (s journal.State, err error) {
	if was == nil {
		return s, nil
	}
	if w.isLater(was) {
		w.conflicts = append(w.conflicts, name)
	}
	switch was.Mode().Type() {
	case fs.ModeSymlink:
		target, err := lower.Readlink(base)
		return journal.State{Type: journal.Link, Target: journal.Name(target)}, err
	case 0:
		s = journal.State{Type: journal.File, Mode: was.Mode().Perm(), Size: was.Size()}
		if s.SHA256, _, _, err = w.hash(lower, base); errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%s cannot be read, so that nobody could take the change back: %w", name, err)
		}
	}
	return s, err
}

// content opens a file of the upper directory.
func (u *Upper) content(name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return u.files.Open(name) }
}

// began reports whether a folder of an upper directory began as a copy of one of the
// project.
func began(folder *os.Root) (bool, error) {
	f, err := openFolder(folder)
	if err != nil {
		return false, err
	}
	return copied(f), f.Close()
}
