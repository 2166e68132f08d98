package durable

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// TempPrefix starts the name of every temporary file that [WriteFile] makes. A
// file with this prefix that is not fresh was left by a crash and may be removed.
const TempPrefix = ".tmp-"

// ErrUnflushed is in the chain of an error of a change that was made: readers see
// it, but the flush that should keep it through a power cut failed.
var ErrUnflushed = errors.New("the change was made, but a power cut may take it back")

// Unflushed adds [ErrUnflushed] to the error of a flush that follows a change.
func Unflushed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUnflushed, err)
}

// WriteFile replaces name under root by data: a temporary file in the same
// folder is written and renamed over it, so that at any moment, also after a
// crash of the process, name holds either the old bytes or all the new ones.
//
// A kept file is flushed before the rename, and its folder afterwards: it is on
// disk when WriteFile returns. A rebuildable one is never flushed. After a power
// cut it may be old, empty or torn, and its content must show that.
//
// On an error the old file is untouched and the temporary one is gone, unless it is
// [ErrUnflushed]: then name holds the new bytes.
func WriteFile(root *os.Root, name string, data []byte, perm fs.FileMode, kind *File) error {
	return replace(root, name, TempPrefix+rand.Text(), data, perm, kind, func(*os.File) error { return nil })
}

// Replacement is the new content of a file that is somebody else's.
type Replacement struct {
	Data []byte
	// Perm are its permissions: with Exact these, whatever the umask, and without
	// as much of them as the umask lets a new file have.
	Perm  fs.FileMode
	Exact bool
	// Like is whom the owner is taken from, as far as the process may give files
	// away; nil is nobody.
	Like fs.FileInfo
	// Temp is the temporary file's name, beside the file. What a process left there
	// that died is removed: nobody else may use the name at the same time.
	Temp string
	// File is the kind of file, [ProjectFile] if it is nil.
	File *File
}

// Put is a [WriteFile] of the replacement.
func (r Replacement) Put(root *os.Root, name string) error {
	r.File = cmp.Or(r.File, ProjectFile)
	if err := RemoveTemp(root, path.Join(path.Dir(name), r.Temp)); err != nil {
		return fmt.Errorf("write %s: %w", path.Base(name), err)
	}
	return replace(root, name, r.Temp, r.Data, r.Perm, r.File, r.dress)
}

// dress gives a new file the owner and the permissions of the replacement.
func (r Replacement) dress(f *os.File) error {
	if r.Like != nil {
		giveTo(f, r.Like) // first, because a change of owner takes special bits away
	}
	if r.Exact {
		return f.Chmod(r.Perm)
	}
	return nil
}

// TempName is a temporary file's name that is made from key, which has
// letters and digits only: after a crash, the key leads to the file.
func TempName(key string) string { return TempPrefix + key[:min(len(key), 32)] }

// RemoveTemp removes a temporary file that a process left which died; it need not
// be there.
func RemoveTemp(root *os.Root, name string) error {
	if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := Remove(root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// replace does the work by way of the temporary file temp; dress is called with
// that before its content is made durable.
func replace(root *os.Root, name, temp string, data []byte, perm fs.FileMode, kind *File, dress func(*os.File) error) error {
	dir := path.Dir(name)
	temp = path.Join(dir, temp)
	if err := writeNew(root, temp, data, perm, kind, dress); err != nil {
		return fmt.Errorf("write %s: %w", path.Base(name), err)
	}
	if err := Rename(root, temp, name); err != nil {
		_ = root.Remove(temp) // the rename's error is returned
		return fmt.Errorf("write %s: %w", path.Base(name), err)
	}
	if kind.Class != Kept {
		return nil
	}
	if err := Unflushed(FlushDir(root, dir, kind)); err != nil {
		return fmt.Errorf("write %s: %w", path.Base(name), err)
	}
	return nil
}

// WriteNew makes a file that must not be there yet, with data, or leaves nothing. The
// content of a kept file is flushed, its name is not: the caller flushes the folder
// when all of its files are there.
func WriteNew(root *os.Root, name string, data []byte, perm fs.FileMode, kind *File) error {
	if err := writeNew(root, name, data, perm, kind, func(*os.File) error { return nil }); err != nil {
		return fmt.Errorf("write %s: %w", path.Base(name), err)
	}
	return nil
}

// writeNew is WriteNew that calls dress before the content is made durable.
func writeNew(root *os.Root, name string, data []byte, perm fs.FileMode, kind *File, dress func(*os.File) error) error {
	w, err := Create(root, name, perm, kind)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if err == nil {
		err = dress(w.f)
	}
	if err == nil && kind.Class == Kept {
		err = w.Sync()
	}
	if e := w.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = root.Remove(name) // best effort: the write's error is returned
	}
	return err
}
