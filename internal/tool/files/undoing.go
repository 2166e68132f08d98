package files

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"belay/internal/durable"
	"belay/internal/session"
)

// undoing is a [Revert] on its way. What it takes out of the project lies in a
// folder of its own until the end, so that each step can be taken back.
type undoing struct {
	root  *os.Root
	aside string // the folder's name
	back  []func() error
}

// asideIn is where these folders are: on the project's file system, and where no
// tool looks.
const asideIn = ".belay"

// newUndoing makes the folder aside. Others that are there were left by processes
// that died: what lies in them was on its way out.
func newUndoing(root *os.Root) (*undoing, error) {
	if err := root.MkdirAll(asideIn, 0o700); err != nil {
		return nil, err
	}
	dir, err := root.Open(asideIn)
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	if err = errors.Join(err, dir.Close()); err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasPrefix(name, session.UndoPrefix) {
			if err := root.RemoveAll(path.Join(asideIn, name)); err != nil {
				return nil, err
			}
		}
	}
	u := &undoing{root: root, aside: path.Join(asideIn, session.UndoPrefix+rand.Text())}
	return u, root.Mkdir(u.aside, 0o700)
}

// finish ends the revert: with an error it takes every step back, last first.
func (u *undoing) finish(err error) error {
	if err != nil {
		for i := len(u.back) - 1; i >= 0; i-- {
			if failed := u.back[i](); failed != nil {
				return errors.Join(err, fmt.Errorf("what was done could not be taken back; files that were replaced are in %s: %w", u.aside, failed))
			}
		}
	}
	return errors.Join(err, u.root.RemoveAll(u.aside))
}

// step remembers how to take back what was just done.
func (u *undoing) step(back func() error) { u.back = append(u.back, back) }

// slot is a new name in the folder aside.
func (u *undoing) slot() string { return path.Join(u.aside, strconv.Itoa(len(u.back))) }

// verify makes sure that the file is still what was checked.
func (u *undoing) verify(t target) error {
	now, err := standing(u.root, t.path)
	if err == nil && !now.is(t.last.After, t.last.AfterMode) {
		err = errChanging
	}
	return err
}

// remove takes a file away that a change made.
func (u *undoing) remove(t target) error {
	if err := u.verify(t); err != nil {
		return err
	}
	slot := u.slot()
	if err := u.root.Rename(t.path, slot); err != nil {
		return err
	}
	u.step(func() error { return u.root.Rename(slot, t.path) })
	return nil
}

// removeFolders takes folders away, the innermost first, as far as they are empty.
func (u *undoing) removeFolders(dirs []string) {
	for _, dir := range dirs {
		info, err := u.root.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it went with another file
		}
		if err != nil || !info.IsDir() || u.root.Remove(dir) != nil {
			return // not empty: that is no fault
		}
		mode := info.Mode().Perm()
		u.step(func() error { return u.root.Mkdir(dir, mode) })
	}
}

// restore gives a file its old content and permissions.
func (u *undoing) restore(t target) error {
	if err := u.verify(t); err != nil {
		return err
	}
	folder, made, err := makeFolder(u.root, path.Dir(t.path))
	if err != nil {
		return err
	}
	defer folder.Close()
	if made > 0 {
		u.step(func() error { removeFolders(u.root, path.Dir(t.path), made); return nil })
	}
	base := path.Base(t.path)
	before, err := folder.Lstat(base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if before != nil && before.IsDir() { // the file's name went to a folder
		if err := u.root.Remove(t.path); err != nil {
			return err
		}
		mode := before.Mode().Perm()
		u.step(func() error { return u.root.Mkdir(t.path, mode) })
		before = nil
	}
	if t.last.After == "" {
		u.step(func() error { return ignoreMissing(u.root.Remove(t.path)) })
	} else {
		slot := u.slot()
		if err := u.copyAside(t.path, slot); err != nil {
			return err
		}
		u.step(func() error { return u.root.Rename(slot, t.path) })
	}
	if t.first.BeforeMode&fs.ModeSymlink != 0 {
		return putLink(folder, base, string(t.data), durable.TempName(t.first.Before))
	}
	return durable.Replacement{
		Data: t.data, Perm: t.first.BeforeMode.Perm(), Exact: true, Like: before, Temp: durable.TempName(t.first.Before),
	}.Put(folder, base)
}

// putLink replaces a file by a link, in one step.
func putLink(folder *os.Root, base, target, temp string) error {
	if err := durable.RemoveTemp(folder, temp); err != nil {
		return err
	}
	if err := folder.Symlink(target, temp); err != nil {
		return err
	}
	return folder.Rename(temp, base)
}

// copyAside keeps a file as it is: a second name of it where the file system has
// such, else a copy.
func (u *undoing) copyAside(name, slot string) error {
	if u.root.Link(name, slot) == nil {
		return nil
	}
	if leads, err := u.root.Readlink(name); err == nil {
		return u.root.Symlink(leads, slot)
	}
	from, info, err := durable.OpenRegular(u.root, name)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := u.root.OpenFile(slot, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Chmod(info.Mode().Perm()), to.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// hashOf is the hash of a file's content, in hex.
func hashOf(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
