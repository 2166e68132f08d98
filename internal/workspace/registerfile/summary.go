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

// Seen is a summary that a person has seen.
type Seen struct {
	Deliverable workspace.Deliverable
	File        changeset.File
}

// WriteSummaries writes summaries of one project that a person has seen, all of them in one
// change, which its name takes back. Refused has, in their order, why one is left alone: with
// CONTENT_CHANGED where the file, or what it would be, is another by now, and as [Files.Put]
// refuses. The error is about all of them.
func (f *Files) WriteSummaries(ctx context.Context, by string, seen []Seen) (change string, refused []error, err error) {
	refused = make([]error, len(seen))
	if len(seen) == 0 {
		return "", refused, nil
	}
	paths := make([]string, len(seen))
	for i, s := range seen {
		paths[i] = s.File.Path
	}
	p, err := f.o.Open(ctx, seen[0].Deliverable.Project, paths...)
	if err != nil {
		return "", refused, err
	}
	defer p.Close()
	var files []changeset.File
	var records []Record
	for i, s := range seen {
		if refused[i] = f.isAsSeen(s); refused[i] != nil {
			continue
		}
		files = append(files, s.File)
		records = append(records, Record{
			Project: s.Deliverable.Project, Path: s.File.Path, By: by, Summary: "lines and tables of belay made anew from the register",
			Before: changeset.Hash(s.File.Before), After: changeset.Hash(s.File.After),
		})
	}
	if len(files) == 0 {
		return "", refused, nil
	}
	err = f.o.Record.MakeAll(ctx, "change", records, func() (err error) {
		change, err = p.Apply(ctx, "deps summary", by, files)
		return err
	})
	return change, refused, err
}

// isAsSeen is why a summary is not written; nobody else changes the deliverable.
func (f *Files) isAsSeen(seen Seen) error {
	d := seen.Deliverable
	if err := editable(d); err != nil {
		return err
	}
	dir, err := d.Open()
	if err != nil {
		return err
	}
	defer dir.Close()
	now, err := read(dir, d)
	if err == nil {
		err = separated(d, now.Register)
	}
	if err != nil {
		return err
	}
	s, data, problem := readSummary(dir)
	if problem != nil {
		return reported(d, problem)
	}
	if s.Replace(now.Register, f.today()); !bytes.Equal(data, seen.File.Before) || !bytes.Equal(s.Bytes(), seen.File.After) {
		return reported(d, fault.New(fault.ContentChanged, "%s or %s was changed since it was shown", layout.RegisterFile, layout.DependenciesFile).
			With("paths", []string{seen.File.Path}))
	}
	return regular(dir, d, []changeset.File{seen.File})
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
	if line := s.Conflict(); line > 0 {
		return nil, nil, fault.New(fault.WorkspaceFileReadFailed, "%s has a conflict of a merge that nobody has resolved, from line %d on", name, line).
			WithHint("resolve the conflict first")
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
