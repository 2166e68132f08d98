package registerlint

import (
	"slices"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/register"
)

// Judge judges the register of a deliverable by every rule: those of the format, and those
// about the rest of the project.
type Judge struct {
	// Path is what findings call the file, Folder the name of the folder that it is in.
	Path, Folder string
	Project      register.Project
	// Today is the day in UTC, YYYY-MM-DD; "" judges no date.
	Today string
	// Context returns the deliverable's _CONTEXT.md where it is needed, nil for none.
	Context func() []byte
}

// Findings are those of r.
func (j Judge) Findings(r *register.Register) []finding.Finding {
	return slices.Concat(r.Lint(j.Path, j.Folder), r.CheckProject(j.Path, j.Project, j.Today), r.CheckName(j.Path, j.Folder, j.Context))
}
