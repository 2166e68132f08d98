package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"belay/examples"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
)

// exampleName is the folder of an example that was given no other.
const exampleName = "belay-example"

// exampleAt copies the example project to dir, which must not exist or be empty.
func exampleAt(ctx context.Context, dir string, cfg *config.Config) (string, error) {
	clean, err := workspace.CheckNewRoot("projectRoot", dir, cfg.Instructions, PrivateFolders(cfg)...)
	if err != nil {
		return "", err
	}
	return clean, copyExample(ctx, clean)
}

// exampleBelow copies it to the first free one of the folders belay-example,
// belay-example-2 and so on below base, and returns which.
func exampleBelow(ctx context.Context, base string) (string, error) {
	for n := 1; n <= 1000; n++ {
		dir := filepath.Join(base, exampleName)
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", dir, n)
		}
		if err := copyExample(ctx, dir); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
	return "", fault.New(fault.InvalidRequest, "projectRoot is required: %s has too many examples already", base).With("field", "projectRoot")
}

// copyExample makes the folder whole or not at all. The error is fs.ErrExist where
// something is there already.
func copyExample(ctx context.Context, dir string) (err error) {
	taken := fault.New(fault.InvalidRequest, "projectRoot is taken: something is in %s already", fault.Clip(dir)).
		With("field", "projectRoot").With("projectRoot", fault.Clip(dir)).Because(fs.ErrExist)
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return taken
	}
	failed := func(err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fault.New(fault.StorageFailure, "the example cannot be written to %s", fault.Clip(dir)).With("projectRoot", fault.Clip(dir)).Because(err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil { //nolint:gosec // the user's own folder, under their umask
		return failed(err)
	}
	temp, err := durable.TempDir(filepath.Dir(dir), "."+exampleName+"-")
	if err != nil {
		return failed(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, temp.Close())
		}
	}()
	if err := writeExample(ctx, temp.Path); err != nil {
		return failed(err)
	}
	_ = os.Remove(dir) // an empty folder that is in the way; anything else stays
	if err := os.Rename(temp.Path, dir); err != nil {
		if _, there := os.Lstat(dir); there == nil {
			return taken
		}
		return failed(err)
	}
	return temp.Keep()
}

// writeExample writes the files as somebody would have who made them by hand.
func writeExample(ctx context.Context, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	project := examples.Project()
	err = fs.WalkDir(project, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".":
			return nil
		case e.IsDir():
			return root.Mkdir(name, 0o777)
		}
		data, err := fs.ReadFile(project, name)
		if err != nil {
			return err
		}
		perm := fs.FileMode(0o666)
		if bytes.HasPrefix(data, []byte("#!")) {
			perm = 0o777
		}
		return root.WriteFile(name, data, perm)
	})
	if err != nil {
		return err
	}
	return os.Chmod(dir, 0o755) //nolint:gosec // a project is no secret
}
