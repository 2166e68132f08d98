package changeset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/quantity"
)

// Keeper puts on record what a change replaces, so that a person can take it back. An error
// refuses the change. ID names it. Settle is called once, and says whether the change was made.
type Keeper func(project, what, by string, files []File) (id string, settle func(made bool) error, err error)

// Apply changes files, all of them or none, and returns when they are on disk. ID is what the
// [Keeper] calls the change, "" without one. It fails with CONTENT_CHANGED where a file is not
// what it was, which details.paths names.
func (p *Project) Apply(ctx context.Context, what, by string, files []File) (id string, err error) {
	settle := func(bool) error { return nil }
	if p.keep != nil {
		if id, settle, err = p.keep(p.path, what, by, files); err != nil {
			return "", err
		}
	}
	err = p.apply(ctx, what, by, files)
	switch {
	case err == nil:
		return id, settle(true)
	case errors.Is(err, journal.ErrUnsettled): // it may be made yet
		return id, err
	}
	return "", errors.Join(err, settle(false))
}

func (p *Project) apply(ctx context.Context, what, by string, files []File) error {
	plan := journal.Plan{Owner: journal.Owner{What: what, By: by}, Inside: true}
	for _, f := range files {
		plan.Changes = append(plan.Changes, f.step())
	}
	tx, err := p.journal.Begin(plan)
	if err != nil {
		return failed(err, files)
	}
	if err := tx.Prepare(); err != nil {
		return failed(errors.Join(err, tx.Drop()), files)
	}
	if err := tx.Apply(ctx); err != nil {
		return failed(errors.Join(err, tx.Drop()), files)
	}
	tx.Done()
	return nil
}

// step is the file's change for the journal.
func (f File) step() journal.Change {
	c := journal.Change{Op: journal.Create, Path: journal.Name(f.Path)}
	if f.Before != nil {
		c.Op, c.Before = journal.Replace, journal.State{Type: journal.File, SHA256: Hash(f.Before)}
	}
	if f.After == nil {
		c.Op = journal.Remove
		return c
	}
	c.After = journal.State{Type: journal.File, SHA256: Hash(f.After), Size: int64(len(f.After))}
	c.Content = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.After)), nil }
	return c
}

// failed is the error about files that were not changed.
func failed(err error, files []File) error {
	if conflicts, ok := errors.AsType[*journal.ConflictError](err); ok {
		var paths []string
		for _, c := range conflicts.Conflicts {
			paths = append(paths, string(c.Path))
		}
		return Conflict(paths)
	}
	if errors.Is(err, journal.ErrUnsettled) {
		return fault.New(fault.StorageFailure, "the files could not be changed, and some of them could not be put back; the next command on the project puts them back or finishes the change").
			WithHint("free disk space, check the permissions, then look with belay project validate").Because(err)
	}
	if errors.Is(err, fs.ErrPermission) {
		what := files[0].Path
		if n := len(files) - 1; n > 0 {
			what += " and " + quantity.Count(n, "other file", "other files") + " together"
		}
		return fault.New(fault.WorkspaceFailure, "%s cannot be changed: permission denied", what).WithHint("check the permissions of the files and their folders").Because(err)
	}
	return fault.New(fault.StorageFailure, "the files could not be changed; they are as they were").
		WithHint("free disk space, check the permissions, then try again").Because(err)
}

// Conflict is the error about files that somebody else changed.
func Conflict(paths []string) *fault.Error {
	return fault.New(fault.ContentChanged, "%s was changed since; nothing was changed now", paths[0]).With("paths", paths)
}

// Hash is the SHA-256 of a content, in hex.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
