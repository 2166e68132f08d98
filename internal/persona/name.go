package persona

import (
	"errors"
	"io/fs"
	"strings"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/nearest"
)

// namePattern is what a persona name may look like before any disk is touched.
var namePattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$`)

// aliases are the short names of the workbench (workspace 14.2).
var aliases = map[string]string{
	"HELP":        "HELP_HUMAN",
	"ORCHESTRATE": "ORCHESTRATOR",
	"AGGREGATE":   "AGGREGATION",
	"RECONCILING": "RECONCILIATION",
	"AGENTS":      "HELPS_HUMANS",
}

// canonical returns the spellings under which a name is looked for, best first:
// the name itself, what it is an alias of, and the name without the AGENT_ of a
// file name. It returns nil for a name that no persona can have.
func canonical(name string) []string {
	name = trim(name)
	if !namePattern.MatchString(name) {
		return nil
	}
	name = strings.ReplaceAll(name, "-", "_")
	ids := []string{name}
	if a, ok := aliases[name]; ok {
		ids = append(ids, a)
	}
	if bare, ok := strings.CutPrefix(name, "AGENT_"); ok && bare != "" {
		ids = append(ids, bare)
	}
	return ids
}

// agentsDir is the folder of the instruction files, below the root.
const agentsDir = "agents/"

func fileOf(id string) string { return agentsDir + "AGENT_" + id + ".md" }

// idOf is the reverse of fileOf for a base name; "" is no instruction file.
func idOf(base string) string {
	id, ok := strings.CutPrefix(base, "AGENT_")
	if !ok {
		return ""
	}
	id, ok = strings.CutSuffix(id, ".md")
	if !ok || !namePattern.MatchString(id) || strings.Contains(id, "-") {
		return ""
	}
	return id
}

// Persona returns the persona with this name: an ID, with hyphens for
// underscores if the caller likes, or one of the workbench's aliases; a file of
// exactly that name wins over an alias. It returns INSTRUCTION_ROOT_INVALID
// before it looks for the name, then PERSONA_NOT_FOUND for a name that is
// unknown, ill-formed, or whose file cannot be read as a regular file.
func (r *Root) Persona(name string) (Persona, error) {
	if err := r.Check(); err != nil {
		return Persona{}, err
	}
	return r.find(name)
}

// find is Persona on a root that has been checked.
func (r *Root) find(name string) (Persona, error) {
	cause := fs.ErrNotExist
	for _, id := range canonical(name) {
		d, err := r.load(fileOf(id))
		if err == nil {
			return d.persona, nil
		}
		cause = err
		if !errors.Is(err, fs.ErrNotExist) {
			break // an unreadable file must not turn into another persona
		}
	}
	meant := ""
	if near := nearest.Of(trim(name), r.ids()); near != "" && errors.Is(cause, fs.ErrNotExist) {
		meant = "; did you mean " + near + "?"
	}
	e := fault.New(fault.PersonaNotFound, "the instruction root has no persona %q%s", fault.Clip(name), meant).
		With("persona", fault.Clip(name)).With("instructionRoot", r.name()).Because(cause)
	if !errors.Is(cause, fs.ErrNotExist) {
		e = e.WithHint("its file exists but cannot be read as a regular file of at most %d bytes", MaxFileBytes)
	}
	return Persona{}, e
}

// ids lists the personas by the names of their files; none when the folder can
// not be read, which the error about the persona says in other ways.
func (r *Root) ids() []string {
	names, err := r.agentFiles()
	if err != nil {
		return nil
	}
	var ids []string
	for _, base := range names {
		if id := idOf(base); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}
