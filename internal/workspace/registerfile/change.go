package registerfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
)

// lockKind is the name of the lock of all changes to a deliverable's files.
const lockKind = "deliverable"

// Change is a change of a register that is asked for.
type Change struct {
	// By is who asks, for the record.
	By string
	// Match refuses the change with CONTENT_CHANGED unless it accepts the tag of the
	// file as it is, "" standing for none; nil accepts any.
	Match func(tag string) bool
}

// Result is what a change did.
type Result struct {
	Deliverable workspace.Deliverable
	// File is the register as it is now, Before as it was.
	File   File
	Before *register.Register
	// Warnings are those of the writer.
	Warnings []string
	// Diff is what a proposal changed.
	Diff *register.Diff
	// Summary says why _DEPENDENCIES.md was left alone though the register changed, ""
	// where it is in line.
	Summary string
}

// Put writes the register that has exactly these rows ([register.Register.Put]),
// making the file where there is none. It is refused as that refuses, and with
//
//   - INVALID_REQUEST for a folder that is no deliverable's, or a copy;
//   - CONTENT_CHANGED where the content is not what the caller decided by, or where
//     somebody changed it while the change was made;
//   - OVERLOADED where another change of the deliverable takes too long.
func (f *Files) Put(ctx context.Context, d workspace.Deliverable, c Change, rows []map[string]string) (Result, error) {
	return f.change(ctx, d, c, nil, func(before File) (Result, error) {
		after, warnings, err := before.Put(rows, filepath.Base(d.Path))
		return Result{File: File{Register: after}, Warnings: warnings}, err
	})
}

// Apply takes a proposal over into the register ([register.Register.Apply]) as Put
// does rows; note says in a few words where it is from. A proposal that changes
// nothing writes nothing, unless _DEPENDENCIES.md does not agree with the register.
func (f *Files) Apply(ctx context.Context, d workspace.Deliverable, c Change, p *register.Register, o register.ProposalOptions, note string) (Result, error) {
	run := &register.Run{Date: f.today(), Mode: "APPLY", Note: note}
	o.Host = filepath.Base(d.Path)
	return f.change(ctx, d, c, run, func(before File) (Result, error) {
		after, diff, err := before.Apply(p, o)
		return Result{File: File{Register: after}, Diff: diff}, err
	})
}

// change does the work under the deliverable's lock.
func (f *Files) change(ctx context.Context, d workspace.Deliverable, c Change, run *register.Run, work func(File) (Result, error)) (Result, error) {
	dir, before, release, err := f.hold(ctx, d)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if c.Match != nil && !c.Match(before.tagOrNone()) {
		return Result{}, before.changed(d, "is not what it was when the change was decided")
	}
	result, err := work(before)
	if err != nil {
		return Result{}, err
	}
	data := result.File.Bytes()
	result.Before, result.Deliverable = before.Register, d
	result.File = File{Register: result.File.Register, Path: before.Path, Tag: tag(data), Exists: true, info: before.info}
	if before.Exists && result.File.Tag == before.Tag {
		// Nobody knows whether its writer flushed it: an earlier change may have failed
		// at that.
		if err := durable.Flush(dir, layout.RegisterFile, durable.ProjectFile); err != nil {
			return Result{}, reported(d, unconfirmed(layout.RegisterFile, err))
		}
		return result, nil
	}
	record := Record{
		Project: d.Project, Path: path.Join(d.Rel, layout.RegisterFile), By: c.By, Summary: summary(run, before.Register, result.File.Register),
		Before: before.tagOrNone(), After: result.File.Tag,
	}
	if err := f.record(ctx, record); err != nil {
		return Result{}, fault.New(fault.StorageFailure, "the change could not be put on record, so it was not made").Because(err)
	}
	if err := f.replace(ctx, dir, d, before, data); err != nil {
		record.Failed = err.Error()
		// What went wrong is the error to tell; that the record of it failed too is
		// in the log that has no such entry.
		return Result{}, errors.Join(err, f.record(context.WithoutCancel(ctx), record))
	}
	result.Summary = f.followSummary(ctx, dir, d, before.Register, result.File.Register, run)
	return result, nil
}

// hold locks a deliverable, opens its folder and reads its register, until release
// is called. It fails where the deliverable is not one to change.
func (f *Files) hold(ctx context.Context, d workspace.Deliverable) (dir *os.Root, now File, release func(), err error) {
	if err := editable(d); err != nil {
		return nil, File{}, nil, err
	}
	unlock, err := f.lock(ctx, d)
	if err != nil {
		return nil, File{}, nil, err
	}
	if dir, err = d.Open(); err != nil {
		unlock()
		return nil, File{}, nil, err
	}
	release = func() {
		_ = dir.Close() // it was only a way to the files
		unlock()
	}
	if now, err = read(dir, d); err != nil {
		release()
		return nil, File{}, nil, err
	}
	return dir, now, release, nil
}

func (f *Files) record(ctx context.Context, r Record) error {
	if f.o.Record == nil {
		return nil
	}
	return f.o.Record(ctx, r)
}

// tagOrNone is the tag of a file that is there.
func (f *File) tagOrNone() string {
	if !f.Exists {
		return ""
	}
	return f.Tag
}

// changed is the error about a content that is not what was expected.
func (f *File) changed(d workspace.Deliverable, why string) *fault.Error {
	return reported(d, fault.New(fault.ContentChanged, "%s %s", layout.RegisterFile, why)).
		With("paths", []string{path.Join(d.Rel, layout.RegisterFile)}).With("etag", f.tagOrNone())
}

func summary(run *register.Run, before, after *register.Register) string {
	text := fmt.Sprintf("rows of the register: %d changed, %d added", register.Changed(before, after), after.Len()-before.Len())
	if run != nil {
		return run.Note + "; " + text
	}
	return text
}

func (f *Files) lock(ctx context.Context, d workspace.Deliverable) (func(), error) {
	waiting, cancel := context.WithTimeout(ctx, f.o.Wait)
	defer cancel()
	unlock, err := workspace.LockFolder(waiting, f.o.LockDir, lockKind, d.Path)
	switch {
	case err == nil:
		return unlock, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fault.New(fault.Overloaded, "another change of the deliverable takes longer than %v", f.o.Wait).Because(err)
	}
	return nil, fault.New(fault.WorkspaceFailure, "the deliverable can not be locked").Because(err)
}

// replace writes the register, unless it is no longer what was read: programs that
// know no lock write it too.
func (f *Files) replace(ctx context.Context, dir *os.Root, d workspace.Deliverable, before File, data []byte) error {
	w := writing{name: layout.RegisterFile, after: data, like: before.info, check: func() *fault.Error {
		now, err := read(dir, d)
		if err != nil || now.Exists != before.Exists || !bytes.Equal(now.Bytes(), before.Bytes()) {
			return before.changed(d, "was changed while the change was made")
		}
		return nil
	}}
	if before.Exists {
		w.before = before.Bytes()
	}
	if err := f.write(ctx, dir, d, w); err != nil {
		return reported(d, err)
	}
	return nil
}

// writing is a file of a deliverable that is replaced, or made.
type writing struct {
	name string
	// before is its content, nil where there is none; after what it gets.
	before, after []byte
	// like is the file that is there, nil for none.
	like fs.FileInfo
	// check refuses the write at the last moment; it may be nil.
	check func() *fault.Error
}

// write replaces a file of the deliverable, or makes it, with the permissions and
// the owner that it had.
func (f *Files) write(ctx context.Context, dir *os.Root, d workspace.Deliverable, w writing) *fault.Error {
	if info, err := dir.Lstat(w.name); err == nil && !info.Mode().IsRegular() {
		return fault.New(fault.WorkspaceFailure, "%s is a link; a change would put a file in its place", w.name).
			WithHint("put the file itself where the link is")
	}
	announced := workspace.Write{Project: d.Project, Path: path.Join(d.Rel, w.name), Before: w.before, After: w.after}
	if w.like != nil {
		announced.Mode = w.like.Mode().Perm()
	}
	done, err := f.o.Notify.Begin(ctx, announced)
	switch {
	case fault.Is(err, fault.Overloaded):
		return fault.From(err)
	case err != nil:
		return fault.New(fault.StorageFailure, "the change of %s could not be announced to commands that run, so it was not made", w.name).Because(err)
	}
	failed := w.put(dir)
	done(failed == nil || errors.Is(failed, durable.ErrUnflushed))
	return failed
}

// put writes the file.
func (w writing) put(dir *os.Root) *fault.Error {
	if w.check != nil {
		if err := w.check(); err != nil {
			return err
		}
	}
	// The lock makes the temporary file's name ours: what a killed process left under
	// it goes.
	r := durable.Replacement{Data: w.after, Perm: 0o666, Temp: durable.TempName("register")}
	if w.like != nil {
		r.Perm, r.Exact, r.Like = w.like.Mode().Perm(), true, w.like
	}
	err := r.Put(dir, w.name)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, durable.ErrUnflushed):
		return unconfirmed(w.name, err)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.WorkspaceFailure, "%s can not be written: permission denied", w.name).Because(err)
	}
	return fault.New(fault.StorageFailure, "%s could not be written; it is as it was", w.name).
		WithHint("free disk space or look after the disk, then make the change again").Because(err)
}

// unconfirmed is the error about a file that has its new content and may lose it.
func unconfirmed(name string, err error) *fault.Error {
	return fault.New(fault.StorageFailure, "%s has the new content, but the disk did not confirm it; a power cut may take it back", name).
		WithHint("look after the disk, then make the change again").Because(err)
}

// Preview returns what a proposal would change in the register as it is, and the
// register's tag, "" where there is none; with an error of the proposal's the diff
// is there as far as [register.Register.Apply] gives one.
func (f *Files) Preview(d workspace.Deliverable, p *register.Register, o register.ProposalOptions) (*register.Diff, string, error) {
	if err := editable(d); err != nil {
		return nil, "", err
	}
	dir, err := d.Open()
	if err != nil {
		return nil, "", err
	}
	defer dir.Close()
	now, err := read(dir, d)
	if err != nil {
		return nil, "", err
	}
	o.Host = filepath.Base(d.Path)
	_, diff, err := now.Apply(p, o)
	return diff, now.tagOrNone(), err
}
