package watch

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
	"path/filepath"
	"slices"
	"time"

	"belay/internal/durable"
	"belay/internal/session"
)

// takeBack undoes what was not allowed: first what is in the way goes, from the
// leaves up, then what was there comes back, from the top down.
func (r *review) takeBack(denied []change) error {
	for _, c := range slices.Backward(denied) {
		if !c.is || c.was && c.old.mode.IsDir() && c.new.mode.IsDir() {
			continue
		}
		if err := r.putAside(c); err != nil {
			return err
		}
	}
	for _, c := range denied {
		if err := r.bringBack(c); err != nil {
			return err
		}
	}
	return nil
}

// putAside moves the command's version of a file out of the project. A folder
// goes only when nothing is left in it.
func (r *review) putAside(c change) error {
	if c.new.mode.IsRegular() && c.new.size <= r.place.FileBytes {
		if err := r.copyAside(c); err != nil {
			return fmt.Errorf("put the changed version of %s aside: %w", c.path, err)
		}
	}
	if c.was && c.new.mode.IsRegular() && c.old.mode.IsRegular() {
		return nil // what comes back replaces it in one step
	}
	err := r.place.Root.Remove(c.path)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), c.new.mode.IsDir():
		return nil
	}
	return fmt.Errorf("remove %s: %w", c.path, err)
}

// asideDir is the folder of versions put aside, in the watcher's.
const asideDir = "aside"

func (r *review) copyAside(c change) error {
	if r.aside == "" {
		r.aside = filepath.Join(r.w.o.Dir, asideDir, r.w.o.Clock().UTC().Format("20060102T150405Z-")+rand.Text()[:8])
		if err := os.MkdirAll(r.aside, 0o700); err != nil {
			return err
		}
	}
	from, err := r.place.Root.OpenFile(c.path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil // one that cannot be read has no version to keep
	}
	defer func() { _ = from.Close() }()
	root, err := os.OpenRoot(r.aside)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(path.Dir(c.path), 0o700); err != nil {
		return err
	}
	to, err := root.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.LimitReader(from, r.place.FileBytes))
	return errors.Join(err, to.Close())
}

// bringBack makes a path what it was, and records that.
func (r *review) bringBack(c change) error {
	rec := session.Change{
		Path: c.path, Restored: true, BeforeMode: c.old.mode, AfterMode: c.new.mode,
		BeforeBytes: c.old.size, AfterBytes: c.new.size,
	}
	if c.is && c.new.mode.IsRegular() {
		rec.After = r.hashAside(c.path)
	}
	if c.was {
		if err := r.put(c, &rec); err != nil {
			return fmt.Errorf("restore %s: %w", c.path, err)
		}
	}
	isDir := c.was && c.old.mode.IsDir() || !c.was && c.new.mode.IsDir()
	if isDir { // what was in it speaks for itself
		return nil
	}
	r.Changes = append(r.Changes, rec)
	switch {
	case rec.Lost != "":
		r.note("%s was changed (%s) and could not be restored: %s", c.path, c.because(), rec.Lost)
	case !c.was:
		r.note("%s was removed again: %s%s", c.path, c.because(), r.where(c))
	default:
		r.note("%s was restored: %s%s", c.path, c.because(), r.where(c))
	}
	return nil
}

// where says where the command's version of a file is.
func (r *review) where(c change) string {
	if r.aside == "" || !c.is || !c.new.mode.IsRegular() || c.new.size > r.place.FileBytes {
		return ""
	}
	return fmt.Sprintf(" (the command's version is in %s)", r.aside)
}

func (r *review) hashAside(p string) string {
	f, err := os.Open(filepath.Join(r.aside, filepath.FromSlash(p)))
	if r.aside == "" || err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// put writes what was at a path before. What was not kept is told in rec.
func (r *review) put(c change, rec *session.Change) error {
	root := r.place.Root
	if c.old.mode.IsDir() {
		return r.putDir(c.path, c.old.mode)
	}
	if err := r.putDir(path.Dir(c.path), 0o755); err != nil {
		return err
	}
	switch {
	case c.old.mode.Type() == fs.ModeSymlink:
		return root.Symlink(c.old.target, c.path)
	case !c.old.mode.IsRegular():
		rec.Lost = "it was not a regular file"
		return nil
	}
	kept, ok := r.content(c)
	if !ok {
		if c.is && c.new.mode.IsRegular() && c.new.size == c.old.size && c.new.mtime == c.old.mtime && c.new.number == c.old.number {
			rec.Lost = "its content was not kept; by its times only its permissions changed, which are restored"
			return root.Chmod(c.path, c.old.mode.Perm())
		}
		rec.Lost = r.notKept(c.old)
		return nil
	}
	return errors.Join(r.putFile(c, kept, rec), kept.Close())
}

// putFile replaces a file by what was kept, in one step.
func (r *review) putFile(c change, kept io.Reader, rec *session.Change) error {
	root := r.place.Root
	temp := path.Join(path.Dir(c.path), durable.TempPrefix+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, sum), kept)
	err = errors.Join(err, f.Chmod(c.old.mode.Perm()), f.Close())
	if err == nil {
		if info, e := root.Lstat(c.path); e == nil && info.IsDir() {
			err = root.RemoveAll(c.path) // a folder cannot be replaced by a file
		}
	}
	if err == nil {
		err = root.Rename(temp, c.path)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	rec.Before = hex.EncodeToString(sum.Sum(nil))
	if c.old.mtime == 0 { // what others made of it has no time of its own
		return nil
	}
	when := time.Unix(0, c.old.mtime)
	return root.Chtimes(c.path, when, when)
}

// putDir makes sure that a path is a real folder, as all above it: the way to
// a restored file must not lead through a link.
func (r *review) putDir(dir string, mode fs.FileMode) error {
	if dir == "." {
		return nil
	}
	root := r.place.Root
	info, err := root.Lstat(dir)
	if err == nil && info.IsDir() {
		return nil
	}
	if err := r.putDir(path.Dir(dir), 0o755); err != nil {
		return err
	}
	if info, err = root.Lstat(dir); err == nil && !info.IsDir() {
		if err := root.Remove(dir); err != nil {
			return err
		}
		for i := range r.Changes {
			r.Changes[i].Restored = r.Changes[i].Restored || r.Changes[i].Path == dir
		}
		r.note("%s was removed: it stood where a folder is restored", dir)
	}
	if was, ok := r.before.at(dir); ok && was.mode.IsDir() {
		mode = was.mode
	}
	if err := root.Mkdir(dir, mode.Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
