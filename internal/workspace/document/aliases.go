package document

// alias is what a section is called by the specification, and by the real
// projects that call it something else.
type alias struct {
	file string
	// names are the specification's and then the others.
	names []string
}

// aliases is the one table of other names of headings, by file.
var aliases = []alias{
	{"_STATUS.md", []string{"History", "State History", "Status History", "Lifecycle History", "Transition History"}},

	{"_DEPENDENCIES.md", []string{"Dependency Tracking Mode", "Coordination", "Tracking Mode"}},
	{"_DEPENDENCIES.md", []string{"Declared Upstream", "Declared Upstream Dependencies", "Upstream", "Upstream Dependencies"}},
	{"_DEPENDENCIES.md", []string{"Declared Downstream", "Declared Downstream Dependencies", "Downstream", "Downstream Dependencies", "Downstream Dependents"}},
	{"_DEPENDENCIES.md", []string{"Extracted Dependency Register", "Extracted Dependencies", "Dependency Register"}},
	{"_DEPENDENCIES.md", []string{"Lifecycle Summary", "Lifecycle"}},
	{"_DEPENDENCIES.md", []string{"Run Notes", "Run Notes & History", "Run Notes and History", "Integrity Check Results"}},
	{"_DEPENDENCIES.md", []string{"Run History", "Run Log"}},
	{"_DEPENDENCIES.md", []string{"Consumer Handoff Notes", "Downstream Handoff Notes", "Handoff Notes"}},

	{"_CONTEXT.md", []string{"Acceptance Criteria", "Acceptance"}},
	{"_CONTEXT.md", []string{"Anticipated Artifacts", "Artifacts", "Expected Artifacts"}},
	{"_CONTEXT.md", []string{"Scope Traceability", "Scope Coverage", "Traceability"}},
	{"_CONTEXT.md", []string{"Decomposition Reference", "Decomposition"}},

	{"_REFERENCES.md", []string{"Applicable References", "Source Documents", "Deliverable-Specific References", "Reference Documents", "Package References"}},

	{"MEMORY.md", []string{"Key Decisions & Human Rulings", "Key Decisions", "Decisions"}},
	{"MEMORY.md", []string{"Open Items", "Open Questions", "Open Issues"}},
	{"MEMORY.md", []string{"Interface & Dependency Notes", "Interface Notes", "Dependency Notes"}},
}

// canonical has the table's names, as plain makes them, by file, each with the
// specification's.
var canonical = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, a := range aliases {
		if all[a.file] == nil {
			all[a.file] = map[string]string{}
		}
		for _, other := range a.names {
			all[a.file][plain(other)] = a.names[0]
		}
	}
	return all
}()

// Names returns the names that the specification's heading has in real files of
// that name, its own first. They are not to be changed.
func Names(file, heading string) []string {
	for _, a := range aliases {
		if a.file == file && Same(a.names[0], heading) {
			return a.names
		}
	}
	return []string{heading}
}

// Canonical returns what the specification calls a heading of that file, and
// whether that is another name than the heading. A heading that the table does not have
// is returned as it is.
func Canonical(file, heading string) (name string, aliased bool) {
	p := plain(heading)
	name, known := canonical[file][p]
	if !known {
		return heading, false
	}
	return name, plain(name) != p
}
