package registerfile

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
)

// Summary looks at the _DEPENDENCIES.md of a deliverable, and at what it would be
// with belay's own lines and tables made anew ([register.Summary.Replace]). One that
// agrees with the register stays as it is, unless always is set. Agrees tells whether
// it would then agree: lines that are not belay's may be wrong. It fails as
// [Files.Read] does, with NOT_FOUND where there is no _DEPENDENCIES.md.
func (f *Files) Summary(ctx context.Context, d workspace.Deliverable, always bool) (file changeset.File, agrees bool, err error) {
	now, err := f.Read(ctx, d)
	if err != nil {
		return changeset.File{}, false, err
	}
	if err := separated(d, now.Register); err != nil {
		return changeset.File{}, false, err
	}
	dir, err := d.Open()
	if err != nil {
		return changeset.File{}, false, err
	}
	defer dir.Close()
	s, data, problem := readSummary(dir)
	if problem != nil {
		return changeset.File{}, false, reported(d, problem)
	}
	if agrees = s.Agrees(now.Register); always || !agrees {
		s.Replace(now.Register, f.today())
		agrees = s.Agrees(now.Register)
	}
	return changeset.File{Path: path.Join(d.Rel, layout.DependenciesFile), Before: data, After: s.Bytes()}, agrees, nil
}

// WriteSummary writes a summary that a person has seen. It is refused with
// CONTENT_CHANGED where the file, or what it would be, is another by now, and as
// [Files.Put] is.
func (f *Files) WriteSummary(ctx context.Context, d workspace.Deliverable, by string, seen changeset.File) error {
	h, err := f.hold(ctx, d)
	if err != nil {
		return err
	}
	defer h.release()
	if err := separated(d, h.now.Register); err != nil {
		return err
	}
	s, data, problem := readSummary(h.dir)
	if problem != nil {
		return reported(d, problem)
	}
	if s.Replace(h.now.Register, f.today()); !bytes.Equal(data, seen.Before) || !bytes.Equal(s.Bytes(), seen.After) {
		return reported(d, fault.New(fault.ContentChanged, "%s or %s was changed since it was shown", layout.RegisterFile, layout.DependenciesFile).
			With("paths", []string{seen.Path}))
	}
	return f.write(ctx, h, d, Record{
		Project: d.Project, Path: seen.Path, By: by, Summary: "lines and tables of belay made anew from the register",
		Before: changeset.Hash(seen.Before), After: changeset.Hash(seen.After),
	}, []changeset.File{seen})
}

// separated refuses a register that has rows without columns: a summary of it would say
// that there are no dependencies.
func separated(d workspace.Deliverable, r *register.Register) error {
	err := r.Columned()
	if e := (*fault.Error)(nil); errors.As(err, &e) {
		return reported(d, e)
	}
	return err
}

// readSummary reads the _DEPENDENCIES.md of a folder.
func readSummary(dir *os.Root) (*register.Summary, []byte, *fault.Error) {
	const name = layout.DependenciesFile
	data, _, err := durable.ReadFile(dir, name, register.MaxSummary)
	switch {
	case err != nil && missing(dir, name, err):
		return nil, nil, fault.New(fault.NotFound, "there is no %s", name)
	case err != nil:
		return nil, nil, unreadable(dir, name, err)
	}
	s := register.ParseSummary(data)
	if !s.Text() {
		return nil, nil, fault.New(fault.WorkspaceFileReadFailed, "%s is not text", name)
	}
	return s, data, nil
}

// inLine reports whether the _DEPENDENCIES.md of a folder agrees with a register that does not
// change, or has nothing that belay would write. One that is not there, or cannot be read, has
// nothing to correct.
func (f *Files) inLine(dir *os.Root, r *register.Register) bool {
	s, data, problem := readSummary(dir)
	if problem != nil || s.Agrees(r) {
		return true
	}
	// Without the run, whose line of the history alone is no reason to write.
	return s.Follow(r, r, f.today(), nil) == "" && bytes.Equal(s.Bytes(), data)
}

// follow is the _DEPENDENCIES.md of a register that changes, in line with it
// ([register.Summary.Follow]), or why it stays as it is.
func (f *Files) follow(dir *os.Root, d workspace.Deliverable, before, after *register.Register, run *register.Run) (file changeset.File, why string) {
	s, data, problem := readSummary(dir)
	if problem != nil {
		return file, problem.Message
	}
	why = s.Follow(before, after, f.today(), run)
	return changeset.File{Path: path.Join(d.Rel, layout.DependenciesFile), Before: data, After: s.Bytes()}, why
}

func (f *Files) today() string { return f.o.Clock().UTC().Format(time.DateOnly) }
