package session

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
)

// SaveUpload writes a file that a person sent, as it arrives, to a folder of
// its own below the project's uploads, and returns its absolute path. It survives
// a power cut then. Content over max bytes is REQUEST_TOO_LARGE and nothing is
// kept. name must be one
// path element; leading dots are dropped so that it names a file.
//
// An upload is a file like any other until a turn attaches it; GC removes old
// ones.
func (s *Store) SaveUpload(ctx context.Context, projectRoot, name string, r io.Reader, max int64) (path string, err error) {
	const failed = "the upload could not be stored"
	root, err := os.OpenRoot(projectRoot)
	if err != nil {
		return "", storage(failed, err)
	}
	defer func() { _ = root.Close() }()
	if err := workspace.MakeBelay(root); err != nil {
		return "", storage(failed, err)
	}
	if strings.ContainsAny(name, `/\`+"\x00") {
		return "", fault.New(fault.InvalidRequest, "the file's name must be one path element").With("field", "name")
	}
	if name = strings.TrimLeft(name, "."); name == "" {
		name = "unnamed"
	}
	// Without a session there, nothing else leads a sweep to the project.
	if err := s.paths.knowProject(filepath.Clean(projectRoot)); err != nil {
		return "", storage(failed, err)
	}
	id := s.o.NewID()
	dir, hidden := dirUploads+"/"+id, dirUploads+"/"+s.maker.unfinished(partPrefix, id)
	if err := durable.MkdirAll(root, hidden, 0o700); err != nil {
		return "", storage(failed, err)
	}
	err = receiveUpload(ctx, root, hidden+"/"+name, r, max)
	if err == nil {
		err = storage(failed, publishUpload(s, root, hidden, dir))
	}
	if err != nil {
		_ = durable.RemoveAll(root, hidden) // a leftover is swept by GC
		return "", err
	}
	return filepath.Join(root.Name(), filepath.FromSlash(dir), name), nil
}

// partPrefix starts the name of an upload's folder until all of it is there.
const partPrefix = ".part-"

// SmallerUpload is the next step after an upload that is too large.
const SmallerUpload = "make the file smaller, or raise attachments.upload_bytes"

// receiveUpload writes an upload as it arrives and makes it durable.
func receiveUpload(ctx context.Context, root *os.Root, name string, r io.Reader, max int64) error {
	const failed = "the upload could not be stored"
	f, err := durable.Create(root, name, 0o600, durable.Upload)
	if err != nil {
		return storage(failed, err)
	}
	_, _, err = copyHashed(ctx, f, r, max)
	if err == nil {
		err = storage(failed, f.Sync())
	}
	if e := f.Close(); err == nil && e != nil {
		err = storage(failed, e)
	}
	if errors.Is(err, ErrTooLarge) {
		err = fault.New(fault.RequestTooLarge, "the file is larger than %d bytes (attachments.upload_bytes)", max).WithHint("%s", SmallerUpload)
	}
	return err
}

// publishUpload gives an upload's folder its name. It survives a power cut then.
func publishUpload(s *Store, root *os.Root, hidden, dir string) error {
	if err := durable.FlushDir(root, hidden, durable.Upload); err != nil {
		return err
	}
	if err := durable.Rename(root, hidden, dir); err != nil {
		return err
	}
	if err := s.paths.flushUp(root, dirUploads, durable.Upload); err != nil {
		return errors.Join(err, durable.RemoveAll(root, dir)) // nobody has its path
	}
	return nil
}

// DropUpload removes the file at a path that SaveUpload returned, and its folder. What
// cannot be removed is swept by GC.
func (s *Store) DropUpload(projectRoot, path string) {
	root, err := os.OpenRoot(projectRoot)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	_ = durable.RemoveAll(root, dirUploads+"/"+filepath.Base(filepath.Dir(path)))
}

// IDs lists every session that the index knows, in no order, whether or not its
// folder still exists.
func (s *Store) IDs(ctx context.Context) ([]string, error) {
	dir, err := s.stateDir.Root().Open(dirIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storage("the index of sessions could not be read", err)
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, storage("the index of sessions could not be read", err)
	}
	ids := names[:0]
	for _, name := range names {
		if ValidID(name) {
			ids = append(ids, name)
		}
	}
	return ids, ctx.Err()
}
