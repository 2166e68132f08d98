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

// Summary looks at the _DEPENDENCIES.md of a deliverable, and at what it would be
// with belay's own lines and tables made anew ([register.Summary.Replace]). One that
// agrees with the register stays as it is, unless always is set. It fails as
// [Files.Read] does, with NOT_FOUND where there is no _DEPENDENCIES.md.
func (f *Files) Summary(d workspace.Deliverable, always bool) (Summary, error) {
	now, err := f.Read(d)
	if err != nil {
		return Summary{}, err
	}
	dir, err := d.Open()
	if err != nil {
		return Summary{}, err
	}
	defer dir.Close()
	s, data, _, problem := readSummary(dir)
	if problem != nil {
		return Summary{}, reported(d, problem)
	}
	if always || !s.Agrees(now.Register) {
		s.Replace(now.Register, f.today())
	}
	return Summary{Path: path.Join(d.Rel, layout.DependenciesFile), Before: data, After: s.Bytes()}, nil
}

// WriteSummary writes a summary that a person has seen. It is refused with
// CONTENT_CHANGED where the file, or what it would be, is another by now, and as
// [Files.Put] is.
func (f *Files) WriteSummary(ctx context.Context, d workspace.Deliverable, by string, seen Summary) error {
	dir, now, release, err := f.hold(ctx, d)
	if err != nil {
		return err
	}
	defer release()
	const name = layout.DependenciesFile
	unchanged := func() *fault.Error {
		if again, _, err := durable.ReadFile(dir, name, register.MaxSummary); err != nil || !bytes.Equal(again, seen.Before) {
			return fault.New(fault.ContentChanged, "%s was changed while the change was made", name).With("paths", []string{seen.Path})
		}
		return nil
	}
	s, _, info, problem := readSummary(dir)
	if problem != nil {
		return reported(d, problem)
	}
	if s.Replace(now.Register, f.today()); !bytes.Equal(s.Bytes(), seen.After) {
		return reported(d, fault.New(fault.ContentChanged, "%s or %s was changed since it was shown", layout.RegisterFile, name).With("paths", []string{seen.Path}))
	}
	record := Record{Project: d.Project, Path: seen.Path, By: by, Summary: "lines and tables of belay made anew from the register", Before: tag(seen.Before), After: tag(seen.After)}
	if err := f.record(ctx, record); err != nil {
		return fault.New(fault.StorageFailure, "the change could not be put on record, so it was not made").Because(err)
	}
	if err := f.write(ctx, dir, d, writing{name: name, before: seen.Before, after: seen.After, like: info, check: unchanged}); err != nil {
		record.Failed = err.Error()
		return errors.Join(reported(d, err), f.record(context.WithoutCancel(ctx), record))
	}
	return nil
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

// followSummary brings _DEPENDENCIES.md in line with a register that was changed
// ([register.Summary.Follow]), and says why it did not.
func (f *Files) followSummary(ctx context.Context, dir *os.Root, d workspace.Deliverable, before, after *register.Register, run *register.Run) string {
	s, data, info, problem := readSummary(dir)
	if problem != nil {
		return problem.Message
	}
	if why := s.Follow(before, after, f.today(), run); why != "" {
		return why
	}
	changed := s.Bytes()
	if bytes.Equal(changed, data) {
		return ""
	}
	if err := f.write(ctx, dir, d, writing{name: layout.DependenciesFile, before: data, after: changed, like: info}); err != nil {
		return err.Message
	}
	return ""
}

func (f *Files) today() string { return f.o.Clock().UTC().Format(time.DateOnly) }
