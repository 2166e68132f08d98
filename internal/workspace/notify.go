package workspace

import (
	"context"
	"io/fs"

	"belay/internal/fault"
)

// Write is a file of a project that belay itself is about to write.
type Write struct {
	// Project is the project's absolute path, Path the file's in it, with slashes.
	Project, Path string
	// Before is what the file holds, nil where there is none; After what it is to hold.
	Before, After []byte
	Mode          fs.FileMode
}

// Notify is called just before a write, so that nothing else of belay changes the
// project meanwhile. The caller calls done when the file is written, or when it was
// not written after all. An error forbids the write.
type Notify func(context.Context, Write) (done func(written bool), err error)

// Begin calls the function, where there is one. It fails with OVERLOADED or
// STORAGE_FAILURE.
func (a Notify) Begin(ctx context.Context, w Write) (done func(written bool), err error) {
	if a == nil {
		return func(bool) {}, nil
	}
	done, err = a(ctx, w)
	if err != nil && !fault.Is(err, fault.Overloaded) {
		err = fault.New(fault.StorageFailure, "the change could not be announced to commands that run, so it was not made").Because(err)
	}
	return done, err
}
