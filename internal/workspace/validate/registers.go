package validate

import (
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
)

var _ register.Project = (*project)(nil)

// Package implements [register.Project].
func (p *project) Package(id string) string { return p.holders[id] }

// packagesOf are the ids of the packages whose folders hold deliverables, by the ids of
// these.
func packagesOf(found *scan.Result) map[string]string {
	all := make(map[string]string, len(found.Deliverables))
	for _, f := range found.Deliverables {
		all[f.ID] = layout.ParseName(f.Package).ID
	}
	return all
}

// context is the _CONTEXT.md of the folder at hand, nil where it can not be read,
// which is a finding of its own.
func (w *worker) context() []byte {
	data, err := w.open.Read(layout.ContextFile, w.buffer, int(w.o.FileBytes)+1)
	if err != nil || len(data) > int(w.o.FileBytes) {
		return nil
	}
	if cap(data) <= keepBuffer {
		w.buffer = data
	}
	return data
}
