package proposal

import (
	"context"
	"reflect"
	"slices"

	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/register"
)

// Rewrite asks for each proposal of a project that still waits how it would read after
// a change of ids, and returns its files. It writes nothing. See
// gets the record, which it may change, and the rows.
func Rewrite(ctx context.Context, projectRoot string, see func(p *Proposal, rows *register.Register) *register.Register) ([]changeset.File, error) {
	project, err := workspace.OpenProject(projectRoot)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	list, _, err := all(ctx, project)
	if err != nil {
		return nil, err
	}
	var files []changeset.File
	for _, p := range list {
		if p.State != Open {
			continue
		}
		rows, err := content(project, p.ID)
		if err != nil {
			return nil, err
		}
		was := p
		was.Missing = slices.Clone(p.Missing)
		after := see(&p, rows)
		files = append(files, changeset.File{Path: Folder + "/" + p.ID + ".csv", Before: rows.Bytes(), After: after.Bytes()})
		if reflect.DeepEqual(was, p) {
			continue // it stays as somebody may have written it
		}
		record, err := p.replaces(project)
		if err != nil {
			return nil, err
		}
		files = append(files, record)
	}
	return files, nil
}
