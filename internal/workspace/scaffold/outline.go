package scaffold

import "belay/internal/workspace/finding"

// Outline is what a run would make, for a person to look at.
type Outline struct {
	ExecutionRoot     string `json:"executionRoot"`
	DecompositionPath string `json:"decompositionPath"`
	ProjectName       string `json:"projectName"`
	CoordinationMode  string `json:"coordinationMode"`
	PackageCount      int    `json:"packageCount"`
	DeliverableCount  int    `json:"deliverableCount"`
	// New is set where the root itself would be made.
	New bool `json:"new"`
	// Folders and Files are those that are missing, relative to the root, in the order in
	// which they would be made; More is how many besides there are of both.
	Folders []string `json:"folders"`
	Files   []string `json:"files"`
	More    int      `json:"more,omitempty"`
	// Replaces is the project's copy of a decomposition whose place the document would
	// take. What it is now would go to the archive.
	Replaces string            `json:"replaces,omitempty"`
	Findings []finding.Finding `json:"findings"`
}

// maxOutlined bounds the folders and the files that an outline names.
const maxOutlined = 5000

// Outline returns what the plan has, without the contents of files.
func (p *Plan) Outline() Outline {
	name, mode := stands(p.root, p.req)
	o := Outline{
		ExecutionRoot: p.req.ExecutionRoot, DecompositionPath: p.req.DecompositionPath, ProjectName: name, CoordinationMode: mode,
		PackageCount: len(p.doc.Packages), DeliverableCount: len(p.filed()), New: p.absent, Folders: []string{}, Files: []string{}, Findings: p.Findings(),
	}
	o.Replaces, _ = p.Replaces()
	for s := range p.all() {
		list := &o.Folders
		if s.data != nil {
			list = &o.Files
		}
		if len(*list) == maxOutlined {
			o.More++
			continue
		}
		*list = append(*list, s.path)
	}
	return o
}
