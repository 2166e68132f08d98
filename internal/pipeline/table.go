package pipeline

import "slices"

// The categories of work (workspace 14.3).
const (
	Decomp = "DECOMP"
	Prep   = "PREP"
	Task   = "TASK"
	Audit  = "AUDIT"
)

// The scope modes of category TASK.
const (
	Deliverables   = "DELIVERABLES"
	KnowledgeTypes = "KNOWLEDGE_TYPES"
)

// Targets says on which deliverables a type works.
type Targets string

// The values of [Targets].
const (
	// NoTargets: the type works on the whole project.
	NoTargets Targets = "none"
	// SomeTargets: it works on the whole project or on chosen deliverables.
	SomeTargets Targets = "optional"
	// NeedsTargets: it works on chosen deliverables only.
	NeedsTargets Targets = "required"
)

// kind is a type of work and the persona that does it.
type kind struct {
	id, persona string
	targets     Targets
	// soon marks a type that is shown and not offered yet (workspace 14.4).
	soon bool
}

// category is a group of types.
type category struct {
	id, label string
	// selector is what the choice of a type is called.
	selector string
	types    []kind
}

// categories is the one table from which category and type become a persona. TASK has one
// agent more than the original: its first, which the embedded instructions have.
var categories = []category{
	{Decomp, "Decompose", "Type", []kind{
		{"SOFTWARE", "SOFTWARE_DECOMP", NoTargets, false},
		{"PROJECT", "PROJECT_DECOMP", NoTargets, false},
		{"DOMAIN", "DOMAIN_DECOMP", NoTargets, false},
		{"BASE", "DECOMP_BASE", NoTargets, true},
	}},
	{Prep, "Prepare", "Type", []kind{
		{"PREPARATION", "PREPARATION", SomeTargets, false},
		{"4_DOCUMENTS", "4_DOCUMENTS", SomeTargets, false},
		{"CHIRALITY_FRAMEWORK", "CHIRALITY_FRAMEWORK", SomeTargets, false},
		{"CHIRALITY_LENS", "CHIRALITY_LENS", SomeTargets, false},
	}},
	{Task, "Task", "Task agent", []kind{
		{"TASK", "TASK", NeedsTargets, false},
		{"SCOPE_CHANGE", "SCOPE_CHANGE", NeedsTargets, false},
		{"SCOPE_PREP", "SCOPE_PREP", NeedsTargets, false},
		{"ESTIMATE_PREP", "ESTIMATE_PREP", NeedsTargets, false},
		{"AUDIT_PREP", "AUDIT_PREP", NeedsTargets, false},
		{"SCHEDULE_PREP", "SCHEDULE_PREP", NeedsTargets, false},
		{"ESTIMATING", "ESTIMATING", NeedsTargets, true},
		{"SCHEDULING", "SCHEDULING", NeedsTargets, true},
	}},
	{Audit, "Audit", "Type", []kind{
		{"AGENTS", "AUDIT_AGENTS", NoTargets, false},
		{"DEPENDENCIES", "AUDIT_DEP_CLOSURE", NoTargets, false},
		{"ESTIMATES", "AUDIT_ESTIMATES", NoTargets, true},
		{"REFERENCES", "AUDIT_REFERENCES", NoTargets, false},
		{"SCHEDULES", "AUDIT_SCHEDULES", NoTargets, true},
		{"SCOPE", "AUDIT_DECOMP", NoTargets, false},
	}},
}

func categoryOf(id string) *category {
	i := slices.IndexFunc(categories, func(c category) bool { return c.id == id })
	if i < 0 {
		return nil
	}
	return &categories[i]
}

func (c *category) kindOf(id string) *kind {
	i := slices.IndexFunc(c.types, func(k kind) bool { return k.id == id })
	if i < 0 {
		return nil
	}
	return &c.types[i]
}

// ids are the names that a list of choices has, for errors.
func ids[T any](list []T, id func(T) string) []string {
	all := make([]string, len(list))
	for i, item := range list {
		all[i] = id(item)
	}
	return all
}
