package registerfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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
	// By is who asks, for the audit log.
	By string
	// Match refuses the change with CONTENT_CHANGED unless it accepts the tag of the
	// file as it is, "" standing for none; nil accepts any.
	Match func(tag string) bool
}

// Result is what a change did.
type Result struct {
	// File is the register as it is now.
	File File
	// Before is the register that it was.
	Before *register.Register
	// Warnings are those of the writer.
	Warnings []string
	// Diff is what a proposal changed.
	Diff *register.Diff
	// Summary says why _DEPENDENCIES.md was not brought in line, "" where it was, or
	// needed nothing.
	Summary string
}

// Put writes the register that has exactly these rows ([register.Register.Put]),
// making the file where there is none.
func (f *Files) Put(ctx context.Context, d workspace.Deliverable, c Change, rows []map[string]string) (Result, error) {
	return f.change(ctx, d, c, nil, func(before File) (Result, error) {
		after, warnings, err := before.Put(rows, filepath.Base(d.Path))
		return Result{File: File{Register: after}, Warnings: warnings}, err
	})
}

// Apply takes a proposal over into the register ([register.Register.Apply]); note
// says in a few words where it is from. A proposal that changes nothing writes
// nothing.
func (f *Files) Apply(ctx context.Context, d workspace.Deliverable, c Change, p *register.Register, o register.ProposalOptions, note string) (Result, error) {
	run := &register.Run{Date: f.o.Clock().UTC().Format(time.DateOnly), Mode: "APPLY", Note: note}
	o.Host = filepath.Base(d.Path)
	return f.change(ctx, d, c, run, func(before File) (Result, error) {
		after, diff, err := before.Apply(p, o)
		return Result{File: File{Register: after}, Diff: diff}, err
	})
}

// change does the work under the deliverable's lock.
func (f *Files) change(ctx context.Context, d workspace.Deliverable, c Change, run *register.Run, work func(File) (Result, error)) (Result, error) {
	if err := editable(d); err != nil {
		return Result{}, err
	}
	unlock, err := f.lock(ctx, d)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	dir, err := d.Open()
	if err != nil {
		return Result{}, err
	}
	defer dir.Close()
	before, err := read(dir, d)
	if err != nil {
		return Result{}, err
	}
	if c.Match != nil && !c.Match(existing(before)) {
		return Result{}, fault.New(fault.ContentChanged, "%s is not what it was when it was read", layout.RegisterFile).
			With("paths", []string{d.Rel + "/" + layout.RegisterFile}).With("etag", existing(before))
	}
	result, err := work(before)
	if err != nil {
		return Result{}, err
	}
	data := result.File.Bytes()
	result.Before = before.Register
	result.File = File{Register: result.File.Register, Path: before.Path, Tag: tag(data), Exists: true, info: before.info}
	if before.Exists && result.File.Tag == before.Tag {
		return result, nil
	}
	if err := write(dir, layout.RegisterFile, data, before.info); err != nil {
		return Result{}, told(d, err)
	}
	result.Summary = updateSummary(dir, before.Register, result.File.Register, run)
	if f.o.Audit != nil {
		entry := Entry{Project: d.Project, Deliverable: d.Rel, By: c.By, Summary: summary(run, before.Register, result.File.Register)}
		if err := f.o.Audit(ctx, entry); err != nil {
			return result, fault.New(fault.StorageFailure, "the register was written, and the audit log could not be").Because(err)
		}
	}
	return result, nil
}

// existing is the tag of a file that is there.
func existing(f File) string {
	if !f.Exists {
		return ""
	}
	return f.Tag
}

func summary(run *register.Run, before, after *register.Register) string {
	text := fmt.Sprintf("%d rows changed, %d added", len(register.Changed(before, after)), after.Len()-before.Len())
	if run != nil {
		return run.Note + ": " + text
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
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fault.New(fault.Overloaded, "another change of the deliverable takes longer than %v", f.o.Wait).Because(err)
	}
	return nil, fault.New(fault.StorageFailure, "the deliverable can not be locked").WithStatus(500).Because(err)
}

// write replaces a file of the deliverable, or makes it, with the permissions and
// the owner that it had.
func write(dir *os.Root, name string, data []byte, like fs.FileInfo) *fault.Error {
	r := durable.Replacement{Data: data, Perm: 0o666, Temp: durable.TempName("register")}
	if info, err := dir.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fault.New(fault.WorkspaceFailure, "%s is a link; a change would put a file in its place", name).
			WithHint("put the file itself where the link is")
	}
	if like != nil {
		r.Perm, r.Exact, r.Like = like.Mode().Perm(), true, like
	}
	err := r.Put(dir, name)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.WorkspaceFailure, "%s can not be written: permission denied", name).Because(err)
	}
	return fault.New(fault.StorageFailure, "%s could not be written", name).Because(err)
}

// updateSummary brings _DEPENDENCIES.md in line with the register, and says why it
// did not. Without a run only what is there is corrected.
func updateSummary(dir *os.Root, before, after *register.Register, run *register.Run) string {
	const name = layout.DependenciesFile
	data, info, err := durable.ReadFile(dir, name, MaxSummary)
	if err != nil {
		if missing(dir, name, err) {
			return "there is no " + name
		}
		return unreadable(dir, name, err).Message
	}
	s := register.ParseSummary(data)
	if !s.Text() {
		return name + " is not text"
	}
	s.Update(after, register.Changed(before, after), run)
	changed := s.Bytes()
	if string(changed) == string(data) {
		return ""
	}
	if err := write(dir, name, changed, info); err != nil {
		return err.Message
	}
	return ""
}
