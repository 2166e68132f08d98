package workspace

import (
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/workspace/layout"
)

// The files and folders that have owners of their own. They are compared folded.
const (
	nameBelay      = ".belay"
	nameGit        = ".git"
	nameSettings   = "belay.yaml"
	nameReferences = "_references.md"
)

// orchestrator is the one persona that maintains references and declared
// dependencies (workspace 5.1).
const orchestrator = "ORCHESTRATOR"

// guarded are the files that no agent writes wherever they are, each with the
// reason that the model gets.
var guarded = map[string]string{
	"_status.md":       "is the lifecycle record, which changes only by a transition",
	"_context.md":      "is the identity of the deliverable, which only people change",
	"dependencies.csv": "is the dependency register, which changes only by way of its own checks",
	"_latest.md":       "points to the newest snapshot, and moves when one is published",
	"_memory.md":       "is never made: what work has brought to light goes into MEMORY.md",
	nameBelay:          "is the memory of belay itself",
}

// protection says why a path is protected from agents, "" when it is not. A file
// tool may not write it, and a command that changed it has its change undone.
// Path is clean and relative to the project.
func (s *Scope) protection(path string) string {
	parts := components(path)
	for i, part := range parts {
		name := Fold(part)
		for want, why := range guarded {
			if SameName(name, want) {
				return why
			}
		}
		switch {
		case SameName(name, nameReferences) && !s.orchestrator:
			return "lists the sources, which only " + orchestrator + " and people change"
		case SameName(name, nameGit) && binding(parts[i+1:]):
			return "decides what git runs"
		case i == 0 && len(parts) == 1 && SameName(name, nameSettings):
			return "holds the limits that the project sets for agents"
		case i > 0 && strings.HasPrefix(Fold(parts[0]), "_") && layout.IsSnapshot(name):
			return "belongs to a snapshot, which never changes once it is published"
		}
	}
	if within(path, s.instructions) {
		return "belongs to the instructions of agents"
	}
	if within(path, s.private) {
		return "belongs to the operator"
	}
	return ""
}

// binding reports whether a path inside .git makes git run something: what a
// command may not leave there.
func binding(inside []string) bool {
	if len(inside) == 0 {
		return false
	}
	first := Fold(inside[0])
	return SameName(first, "config") || SameName(first, "config.worktree") || SameName(first, "hooks")
}

// within reports whether path is one of the folders or is in one. Folders are
// in the form that [folded] gives.
func within(path string, folders []string) bool {
	if len(folders) == 0 {
		return false
	}
	path = folded(path)
	return slices.ContainsFunc(folders, func(f string) bool { return f == "." || path == f || strings.HasPrefix(path, f+"/") })
}

// folded is a relative path with every name folded.
func folded(path string) string {
	parts := components(path)
	for i := range parts {
		parts[i] = Fold(parts[i])
	}
	return strings.Join(parts, "/")
}

// inProject returns the places that folder has in project, folded: as it is
// written and as it really is. It is empty where folder is elsewhere.
func inProject(project, folder string) []string {
	if folder == "" {
		return nil
	}
	var places []string
	note := func(project, folder string) {
		rel, err := filepath.Rel(project, folder)
		if err != nil || !filepath.IsLocal(rel) {
			return
		}
		if rel = filepath.ToSlash(rel); rel != "." {
			rel = folded(rel)
		}
		places = append(places, rel)
	}
	note(filepath.Clean(project), filepath.Clean(folder))
	realProject, err1 := filepath.EvalSymlinks(project)
	realFolder, err2 := filepath.EvalSymlinks(folder)
	if err1 == nil && err2 == nil {
		note(realProject, realFolder)
	}
	return places
}
