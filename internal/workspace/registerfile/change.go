package registerfile

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
)

// Change is a change of a register that is asked for.
type Change struct {
	// By is who asks, for the record.
	By string
	// Match refuses the change with CONTENT_CHANGED unless it accepts the tag of the
	// file as it is, "" standing for none; nil accepts any.
	Match func(tag string) bool
	// With are other files of the project that change together with the register or its
	// summary, and not where neither does.
	With []changeset.File
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
	// Summary says why _DEPENDENCIES.md was left alone though the register changed, or
	// though a proposal found that it does not agree with the register; "" where it is in line.
	Summary string
	// Written is set where files were changed, and Change is then what takes that back.
	Written bool
	Change  string
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

// change does the work under the deliverable's lock. The register and its summary
// change together: both or neither, whenever the process dies.
func (f *Files) change(ctx context.Context, d workspace.Deliverable, c Change, run *register.Run, work func(File) (Result, error)) (Result, error) {
	h, err := f.hold(ctx, d)
	if err != nil {
		return Result{}, err
	}
	defer h.release()
	before := h.now
	if c.Match != nil && !c.Match(before.tagOrNone()) {
		return Result{}, before.changed(d, "is not what it was when the change was decided")
	}
	result, err := work(before)
	if err != nil {
		return Result{}, err
	}
	register := changeset.File{Path: path.Join(d.Rel, layout.RegisterFile), After: result.File.Bytes()}
	if before.Exists {
		register.Before = before.Bytes()
	}
	result.Before, result.Deliverable = before.Register, d
	result.File = File{Register: result.File.Register, Path: before.Path, Tag: changeset.Hash(register.After), Exists: true}
	if !register.Changes() && (run == nil || f.inLine(h.dir, before.Register)) {
		return result, nil
	}
	summaryFile, why := f.follow(h.dir, d, before.Register, result.File.Register, run)
	result.Summary = why
	record := Record{
		Project: d.Project, Path: register.Path, By: c.By, Summary: summary(run, before.Register, result.File.Register),
		Before: before.tagOrNone(), After: result.File.Tag,
	}
	var files []changeset.File
	if register.Changes() {
		files = append(files, register)
	} else {
		record.Path, record.Before, record.After = summaryFile.Path, changeset.Hash(summaryFile.Before), changeset.Hash(summaryFile.After)
	}
	if why == "" && summaryFile.Changes() {
		files = append(files, summaryFile)
	}
	if len(files) == 0 {
		return result, nil
	}
	if err := regular(h.dir, d, files); err != nil {
		return Result{}, err
	}
	err = f.o.Record.Make(ctx, "change", record, func() (err error) {
		result.Change, err = h.project.Apply(ctx, nameOf(d)+": "+record.Summary, c.By, append(files, c.With...))
		return err
	})
	if err != nil {
		return Result{}, reported(d, fault.From(err))
	}
	result.Written = true
	return result, nil
}

// nameOf is what people call a deliverable.
func nameOf(d workspace.Deliverable) string {
	base := path.Base(d.Rel)
	return cmp.Or(layout.ParseName(base).ID, base)
}

// held is a deliverable that nobody else changes.
type held struct {
	project *changeset.Project
	dir     *os.Root
	// now is its register.
	now File
}

func (h *held) release() {
	_ = h.dir.Close() // it was only a way to the files
	h.project.Close()
}

// hold locks a deliverable and reads its register. It fails where the deliverable is
// not one to change.
func (f *Files) hold(ctx context.Context, d workspace.Deliverable) (*held, error) {
	if err := editable(d); err != nil {
		return nil, err
	}
	p, err := f.o.Open(ctx, d.Project, path.Join(d.Rel, layout.RegisterFile))
	if err != nil {
		return nil, err
	}
	h := &held{project: p}
	if h.dir, err = d.Open(); err != nil {
		p.Close()
		return nil, err
	}
	if h.now, err = read(h.dir, d); err != nil {
		h.release()
		return nil, err
	}
	return h, nil
}

// regular refuses files of a deliverable's folder that are links.
func regular(dir *os.Root, d workspace.Deliverable, files []changeset.File) error {
	for _, file := range files {
		name := path.Base(file.Path)
		if info, err := dir.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return reported(d, fault.New(fault.WorkspaceFailure, "%s is a link; a change would put a file in its place", name).
				WithHint("put the file itself where the link is"))
		}
	}
	return nil
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

// Preview returns what a proposal would change in the register as it is, and the
// register's tag, "" where there is none; with an error of the proposal's the diff
// is there as far as [register.Register.Apply] gives one.
func (f *Files) Preview(ctx context.Context, d workspace.Deliverable, p *register.Register, o register.ProposalOptions) (*register.Diff, string, error) {
	if err := editable(d); err != nil {
		return nil, "", err
	}
	now, err := f.look(ctx, d)
	if err != nil {
		return nil, "", err
	}
	o.Host = filepath.Base(d.Path)
	_, diff, err := now.Apply(p, o)
	return diff, now.tagOrNone(), err
}
