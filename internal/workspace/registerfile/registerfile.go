// Package registerfile is a deliverable's register on the disk: Dependencies.csv,
// and _DEPENDENCIES.md beside it.
//
// [Files.Read] reads a register through the deliverable's folder, so that no link
// leads out of the project. [Files.Put] and [Files.Apply] change it: under the
// deliverable's lock, from the file as it is at that moment, checked by package
// register, refused where the caller has seen another content, and written whole or
// not at all. After the register its summary is brought in line; that it could not
// be is told with the result, since the register is right by then.
//
// Contract: architecture, "A change to a project file"; compatible contract, 1.16;
// shortcomings S7, S13, S35.
package registerfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
)

// Options are where registers are locked, and who takes part in changes.
type Options struct {
	changeset.Writer
	// Clock tells the day of a change; nil is the wall clock.
	Clock  func() time.Time
	Record changeset.Recorder[Record]
}

// Record is a change of a register for the audit log.
type Record struct {
	Project string
	// Path is the file, relative to the project, with slashes.
	Path string
	// By is who asked, by what the surface knows of them; Summary what is done.
	By, Summary string
	// Before and After are the SHA-256 of the file's content, Before "" where there
	// was none.
	Before, After string
}

// Files reads and changes registers. It is safe for concurrent use.
type Files struct{ o Options }

// New returns files with these options.
func New(o Options) *Files {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Files{o}
}

// File is a register as it was read.
type File struct {
	*register.Register
	// Path is the file's, absolute.
	Path string
	// Tag tells contents from each other; it is that of nothing where there is no
	// file.
	Tag string
	// Exists is false when there is no file.
	Exists bool
}

// Read reads a deliverable's register. A missing file is
// DEPENDENCY_REGISTER_NOT_FOUND, one that a link leads out of the project
// DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT, any other that cannot be read
// WORKSPACE_FILE_READ_FAILED.
func (f *Files) Read(ctx context.Context, d workspace.Deliverable) (File, error) {
	file, err := f.look(ctx, d)
	if err == nil && !file.Exists {
		return file, reported(d, fault.New(fault.RegisterNotFound, "the deliverable has no %s", layout.RegisterFile))
	}
	return file, err
}

// look reads the register of a deliverable; one that is not there is empty. What a dead
// process left half done is completed first. Where that fails, a register that is as it was
// or as it will be is still better than none, and whoever writes it fails then.
func (f *Files) look(ctx context.Context, d workspace.Deliverable) (File, error) {
	_ = f.o.Settle(ctx, d.Project, path.Join(d.Rel, layout.RegisterFile))
	dir, err := d.Open()
	if err != nil {
		return File{}, err
	}
	defer dir.Close()
	return read(dir, d)
}

// editable refuses folders whose registers do not change.
func editable(d workspace.Deliverable) error {
	why := d.NotWorkedOn()
	if why == "" {
		return nil
	}
	return reported(d, fault.New(fault.InvalidRequest, "deliverablePath %s", why)).With("field", "deliverablePath").
		WithHint("name the deliverable's folder in %s", layout.Working)
}

// reported adds to an error which file it is about.
func reported(d workspace.Deliverable, e *fault.Error) *fault.Error {
	return e.With("projectRoot", d.Project).With("deliverablePath", d.Path).With("dependenciesFilePath", filepath.Join(d.Path, layout.RegisterFile))
}

// read reads the register in a folder; one that is not there is empty.
func read(dir *os.Root, d workspace.Deliverable) (File, error) {
	data, _, err := durable.ReadFile(dir, layout.RegisterFile, register.MaxBytes)
	file := File{Path: filepath.Join(d.Path, layout.RegisterFile)}
	if err != nil && !missing(dir, layout.RegisterFile, err) {
		return file, reported(d, unreadable(dir, layout.RegisterFile, err))
	}
	file.Exists = err == nil
	file.Register, file.Tag = register.Parse(data), changeset.Hash(data)
	if !file.Viewable() {
		return file, reported(d, fault.New(fault.WorkspaceFileReadFailed, "%s has too many rows for names of columns that are as long", layout.RegisterFile)).
			WithHint("belay deps lint lists what does not belong in it")
	}
	return file, nil
}

// missing reports whether there is nothing of that name: not even a link to
// nowhere.
func missing(dir *os.Root, name string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err = dir.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// unreadable is the error for a file that is there and cannot be read.
func unreadable(dir *os.Root, name string, err error) *fault.Error {
	info, lstat := dir.Lstat(name)
	switch {
	case lstat == nil && info.Mode()&fs.ModeSymlink != 0 && !errors.Is(err, durable.ErrNotRegular) && !errors.Is(err, durable.ErrTooLarge):
		return fault.New(fault.DeliverableOutside, "%s is a link that leads out of the deliverable's folder, or nowhere", name).
			WithHint("put a file of its own in the link's place").Because(err)
	case errors.Is(err, durable.ErrNotRegular):
		return fault.New(fault.WorkspaceFileReadFailed, "%s is not a regular file", name).Because(err)
	case errors.Is(err, durable.ErrTooLarge):
		limit, hint := register.MaxBytes, "move what is RETIRED, or one kind of rows, into a file beside it"
		if name != layout.RegisterFile {
			limit, hint = register.MaxSummary, "move what is old into a file beside it"
		}
		return fault.New(fault.WorkspaceFileReadFailed, "%s in %s is larger than %d MiB, which is the most that belay reads", name, filepath.Base(dir.Name()), limit>>20).
			Because(err).WithHint("%s", hint)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.WorkspaceFileReadFailed, "%s cannot be read: permission denied", name).Because(err)
	}
	return fault.New(fault.WorkspaceFileReadFailed, "%s cannot be read", name).Because(err)
}
