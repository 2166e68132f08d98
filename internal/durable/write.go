package durable

import (
	"crypto/rand"
	"fmt"
	"os"
	"path"
)

// TempPrefix starts the name of every temporary file that [WriteFile] makes. A
// file with this prefix that is not fresh was left by a crash and may be removed.
const TempPrefix = ".tmp-"

// WriteFile replaces name under root by data: a temporary file in the same
// folder is written and renamed over it, so that at any moment, also after a
// crash, name holds either the old bytes or all the new ones. With sync the
// bytes and the new directory entry are on disk when it returns; without, a
// power cut may bring the old content back.
//
// On an error the old file is untouched and the temporary one is gone.
func WriteFile(root *os.Root, name string, data []byte, perm os.FileMode, sync bool) error {
	return replace(root, name, data, perm, sync, func(*os.File) error { return nil })
}

// Replace is [WriteFile] for a file that is somebody else's: it ends with exactly
// the permissions of perm, whatever the umask, and with the owner of like, where
// like is not nil and the process may give files away.
func Replace(root *os.Root, name string, data []byte, perm os.FileMode, like os.FileInfo, sync bool) error {
	return replace(root, name, data, perm, sync, func(f *os.File) error {
		if like != nil {
			giveTo(f, like) // first, because a change of owner takes special bits away
		}
		return f.Chmod(perm)
	})
}

// replace does the work; dress is called with the temporary file before its
// content is made durable.
func replace(root *os.Root, name string, data []byte, perm os.FileMode, sync bool, dress func(*os.File) error) error {
	dir := path.Dir(name)
	temp := path.Join(dir, TempPrefix+rand.Text())
	if err := writeNew(root, temp, data, perm, sync, dress); err != nil {
		return fmt.Errorf("write %s: %w", path.Base(name), err)
	}
	if err := root.Rename(temp, name); err != nil {
		_ = root.Remove(temp) // the rename's error is the one to tell
		return fmt.Errorf("write %s: %w", path.Base(name), err)
	}
	if !sync {
		return nil
	}
	if err := SyncDir(root, dir); err != nil {
		return fmt.Errorf("write %s: %w", path.Base(name), err)
	}
	return nil
}

// writeNew creates name with data, or leaves nothing.
func writeNew(root *os.Root, name string, data []byte, perm os.FileMode, sync bool, dress func(*os.File) error) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = dress(f)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = root.Remove(name) // best effort: the write's error is the one to tell
	}
	return err
}
