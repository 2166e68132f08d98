package session

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"

	"belay/internal/durable"
)

// A blob is hashed when this process meets it first, and again only when its file no
// longer looks as it did: a name proves nothing where others can write.

var errNotGenuine = errors.New("the stored bytes are not those of its name")

// prove returns the regular file name of the store in root, proven to hold what
// its name says, and positioned at its start. The caller closes it.
func (b *Blobs) prove(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, nil, errors.Join(err, durable.ErrNotRegular) // a link, wherever it leads
	}
	f, err := openRegular(root, name)
	if err != nil {
		return nil, nil, err
	}
	info, err := b.proven(f, name)
	if err != nil {
		_ = f.Close() // it was only read
		return nil, nil, err
	}
	return f, info, nil
}

// look proves a blob without opening it, where this process has met it already.
func (b *Blobs) look(root *os.Root, name string) (fs.FileInfo, error) {
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && b.store.proven.has(b.path(name), info, unchanged) {
		return info, nil
	}
	f, info, err := b.prove(root, name)
	if err != nil {
		return nil, err
	}
	return info, f.Close()
}

func (b *Blobs) proven(f *os.File, name string) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil || b.store.proven.has(b.path(name), info, unchanged) {
		return info, err
	}
	sum, _, err := copyHashed(context.Background(), io.Discard, f, info.Size())
	switch {
	case errors.Is(err, ErrTooLarge):
		return nil, errNotGenuine // it grows
	case err != nil:
		return nil, err
	case hex.EncodeToString(sum) != name:
		return nil, errNotGenuine
	}
	b.store.proven.note(b.path(name), info)
	_, err = f.Seek(0, io.SeekStart)
	return info, err
}

// stamp notes that this process has just written name, or touched it, when it
// held what its name says. It returns how the file looks now, nil where nobody can tell.
func (b *Blobs) stamp(root *os.Root, name string) fs.FileInfo {
	info, err := root.Lstat(name)
	if err != nil {
		return nil
	}
	b.store.proven.note(b.path(name), info)
	return info
}

func (b *Blobs) path(name string) string { return b.project + "\x00" + name }
