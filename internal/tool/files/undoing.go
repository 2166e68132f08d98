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

	"belay/internal/durable"
)

// undoing is a [Revert] on its way. What it takes out of the project lies in a
// folder of its own until the end, so that each step can be taken back.
type undoing struct {
	root  *os.Root
	aside string // the folder's name
	back  []func() error
}

func newUndoing(root *os.Root) (*undoing, error) {
	u := &undoing{root: root, aside: durable.TempPrefix + rand.Text()}
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
	sha, _, err := standing(u.root, t.path)
	if err == nil && sha != t.last.After {
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

// removeFolders takes the folders away that were made for a file, as far as they
// are empty again.
func (u *undoing) removeFolders(t target) {
	dir := path.Dir(t.path)
	for n := t.folders; n > 0 && dir != "."; n-- {
		info, err := u.root.Lstat(dir)
		if err != nil || !info.IsDir() || u.root.Remove(dir) != nil {
			return // not empty, or gone: that is no fault
		}
		name, mode := dir, info.Mode().Perm()
		u.step(func() error { return u.root.Mkdir(name, mode) })
		dir = path.Dir(dir)
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
	return durable.Replace(folder, base, t.data, t.first.BeforeMode.Perm(), before, true)
}

// copyAside keeps a file as it is: a second name of it where the file system has
// such, else a copy.
func (u *undoing) copyAside(name, slot string) error {
	if u.root.Link(name, slot) == nil {
		return nil
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
