package main

import (
	"fmt"

	"belay/internal/persona"
	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/graph/load"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scaffold"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/snapshot"
	"belay/internal/workspace/validate"
)

// linters are the rooms that have something to say about a project's files, in the
// order of the page.
var linters = []struct {
	title string
	rules []finding.Rule
}{
	{"Folders", scan.Rules()},
	{"Roots, packages, deliverables and their other files", validate.Rules()},
	{"Decompositions", decomposition.Rules()},
	{"Making a root", scaffold.Rules()},
	{"Lifecycle: `_STATUS.md`", lifecycle.Rules()},
	{"Dependencies: `Dependencies.csv` and `_DEPENDENCIES.md`", register.Rules()},
	{"Snapshots", snapshot.Rules()},
	{"Agent instruction files", persona.Rules()},
	{"The dependency graph", load.Rules()},
}

// findings lists every kind of finding. A code means one thing wherever it appears.
func findings(string) ([]byte, error) {
	d := newDoc("Findings", `What belay has to say about the files of a project. Each finding has one of these codes, names the file and where it
can the line, and says what to do. An *error* breaks what the specification demands; a *warning* is a difference that
readers cope with. The section is that of the workspace specification. A code with a plus is belay's own: the original's
register linter does not have it, and it counts neither in a register's status nor in its summary.`)
	seen := map[string]string{}
	for _, l := range linters {
		d.heading(l.title)
		d.table("code", "severity", "section", "means", "what to do")
		for _, r := range l.rules {
			if at, twice := seen[r.Code]; twice {
				return nil, fmt.Errorf("%s is a code of %s and of %s", r.Code, at, l.title)
			}
			seen[r.Code] = l.title
			name := code(r.Code)
			if r.Extra {
				name += " +"
			}
			d.row(name, string(r.Severity), r.Section, r.Means, r.Fix)
		}
	}
	return d.Bytes(), nil
}
