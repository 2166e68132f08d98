package registerfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
)

// Summary is a _DEPENDENCIES.md as it was, and as it is in line with the register.
type Summary struct {
	// Path is the file's, relative to the project, with slashes.
	Path          string
	Before, After []byte
}

// Changes reports whether the two differ.
func (s Summary) Changes() bool { return !bytes.Equal(s.Before, s.After) }

// Summarize regenerates the sections of the agents in a deliverable's
// _DEPENDENCIES.md from the register as it is: numbers, the states of listed rows,
// ACTIVE rows that are not listed, sections that are missing. What is people's
// stays. Without write nothing is written. It fails as [Files.Read] does, with
// NOT_FOUND where there is no _DEPENDENCIES.md, and like [Files.Put].
func (f *Files) Summarize(ctx context.Context, d workspace.Deliverable, by string, write bool) (Summary, error) {
	dir, now, release, err := f.hold(ctx, d)
	if err != nil {
		return Summary{}, err
	}
	defer release()
	if !now.Exists {
		return Summary{}, told(d, fault.New(fault.RegisterNotFound, "the deliverable has no %s", layout.RegisterFile))
	}
	const name = layout.DependenciesFile
	s, data, info, problem := readSummary(dir)
	if problem != nil {
		return Summary{}, told(d, problem)
	}
	var run *register.Run
	if !s.HasSections() {
		run = &register.Run{Date: f.o.Clock().UTC().Format(time.DateOnly), Mode: "SUMMARY", Note: "made from the register"}
	}
	s.Update(now.Register, now.Statuses(), run)
	result := Summary{Path: path.Join(d.Rel, name), Before: data, After: s.Bytes()}
	if !write || !result.Changes() {
		return result, nil
	}
	record := Record{Project: d.Project, Path: result.Path, By: by, Summary: "sections of agents made anew from the register", Before: tag(data), After: tag(result.After)}
	if err := f.record(ctx, record); err != nil {
		return result, fault.New(fault.StorageFailure, "the change could not be put on record, so it was not made").Because(err)
	}
	unchanged := func() *fault.Error {
		if again, _, err := durable.ReadFile(dir, name, register.MaxSummary); err != nil || !bytes.Equal(again, data) {
			return fault.New(fault.ContentChanged, "%s was changed while the change was made", name).With("paths", []string{result.Path})
		}
		return nil
	}
	if err := f.write(ctx, dir, d, writing{name: name, before: data, after: result.After, like: info, check: unchanged}); err != nil {
		record.Failed = err.Error()
		return result, errors.Join(told(d, err), f.record(context.WithoutCancel(ctx), record))
	}
	return result, nil
}

// readSummary reads the _DEPENDENCIES.md of a folder.
func readSummary(dir *os.Root) (*register.Summary, []byte, fs.FileInfo, *fault.Error) {
	const name = layout.DependenciesFile
	data, info, err := durable.ReadFile(dir, name, register.MaxSummary)
	switch {
	case err != nil && missing(dir, name, err):
		return nil, nil, nil, fault.New(fault.NotFound, "there is no %s", name)
	case err != nil:
		return nil, nil, nil, unreadable(dir, name, err)
	}
	s := register.ParseSummary(data)
	if !s.Text() {
		return nil, nil, nil, fault.New(fault.WorkspaceFileReadFailed, "%s is not text", name)
	}
	return s, data, info, nil
}

// mendSummary brings _DEPENDENCIES.md in line with a register that does not change: a
// process that was killed between its two files left that undone.
func (f *Files) mendSummary(ctx context.Context, dir *os.Root, d workspace.Deliverable, now *register.Register, run *register.Run) string {
	s, data, _, problem := readSummary(dir)
	if problem != nil {
		return "" // there is nothing to mend
	}
	if s.Update(now, nil, nil); bytes.Equal(s.Bytes(), data) {
		return ""
	}
	return f.updateSummary(ctx, dir, d, now, now, run)
}

// updateSummary brings _DEPENDENCIES.md in line with the register, and says why it
// did not. Without a run only what is there is corrected.
func (f *Files) updateSummary(ctx context.Context, dir *os.Root, d workspace.Deliverable, before, after *register.Register, run *register.Run) string {
	s, data, info, problem := readSummary(dir)
	if problem != nil {
		return problem.Message
	}
	s.Update(after, register.Changed(before, after), run)
	changed := s.Bytes()
	if bytes.Equal(changed, data) {
		return ""
	}
	if err := f.write(ctx, dir, d, writing{name: layout.DependenciesFile, before: data, after: changed, like: info}); err != nil {
		return err.Message
	}
	return ""
}
