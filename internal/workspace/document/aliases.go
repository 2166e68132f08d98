package document

// alias is what a section is called by the specification, and by the real
// projects that call it something else.
type alias struct {
	file, heading string
	others        []string
}

// aliases is the one table of other names of headings, by file.
var aliases = []alias{
	{"_STATUS.md", "History", []string{"State History", "Status History", "Lifecycle History", "Transition History"}},

	{"_DEPENDENCIES.md", "Dependency Tracking Mode", []string{"Coordination", "Tracking Mode"}},
	{"_DEPENDENCIES.md", "Declared Upstream", []string{"Declared Upstream Dependencies", "Upstream", "Upstream Dependencies"}},
	{"_DEPENDENCIES.md", "Declared Downstream", []string{"Declared Downstream Dependencies", "Downstream", "Downstream Dependencies", "Downstream Dependents"}},
	{"_DEPENDENCIES.md", "Extracted Dependency Register", []string{"Extracted Dependencies", "Dependency Register"}},
	{"_DEPENDENCIES.md", "Lifecycle Summary", []string{"Lifecycle"}},
	{"_DEPENDENCIES.md", "Run Notes", []string{"Run Notes & History", "Run Notes and History", "Integrity Check Results"}},
	{"_DEPENDENCIES.md", "Run History", []string{"Run Log"}},
	{"_DEPENDENCIES.md", "Consumer Handoff Notes", []string{"Downstream Handoff Notes", "Handoff Notes"}},

	{"_CONTEXT.md", "Acceptance Criteria", []string{"Acceptance"}},
	{"_CONTEXT.md", "Anticipated Artifacts", []string{"Artifacts", "Expected Artifacts"}},
	{"_CONTEXT.md", "Scope Traceability", []string{"Scope Coverage", "Traceability"}},
	{"_CONTEXT.md", "Decomposition Reference", []string{"Decomposition"}},

	{"_REFERENCES.md", "Applicable References", []string{"Source Documents", "Deliverable-Specific References", "Reference Documents", "Package References"}},

	{"MEMORY.md", "Key Decisions & Human Rulings", []string{"Key Decisions", "Decisions"}},
	{"MEMORY.md", "Open Items", []string{"Open Questions", "Open Issues"}},
	{"MEMORY.md", "Interface & Dependency Notes", []string{"Interface Notes", "Dependency Notes"}},
}

// canonical has the table's other names, as plain makes them, by file.
var canonical = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, a := range aliases {
		if all[a.file] == nil {
			all[a.file] = map[string]string{}
		}
		for _, o := range a.others {
			all[a.file][plain(o)] = a.heading
		}
	}
	return all
}()

// Names returns the names that the specification's heading has in real files of
// that name, its own first.
func Names(file, heading string) []string {
	for _, a := range aliases {
		if a.file == file && Same(a.heading, heading) {
			return append([]string{a.heading}, a.others...)
		}
	}
	return []string{heading}
}

// Canonical returns what the specification calls a heading of that file, and
// whether the heading is one of the table's other names for it.
func Canonical(file, heading string) (name string, aliased bool) {
	if name, aliased = canonical[file][plain(heading)]; aliased {
		return name, true
	}
	return heading, false
}
