package workspace

import (
	"path"
	"slices"

	"belay/internal/workspace/register"
)

// dependenciesFile has two owners: people declare, agents extract (workspace 5.1).
const dependenciesFile = "_dependencies.md"

// HasZones reports whether a file may have parts that belong to people and that its
// writer may not change.
func (s *Scope) HasZones(name string) bool {
	parts := components(path.Clean(name))
	return !s.orchestrator && len(parts) > 0 && SameName(Fold(parts[len(parts)-1]), dependenciesFile)
}

// KeepsZones returns nil unless writing after where before stood would change a
// part of the file that belongs to people, which only ORCHESTRATOR may: then it
// is a [*ScopeError]. A file that does not exist yet has no such parts: before
// is nil.
func (s *Scope) KeepsZones(name string, before, after []byte) error {
	if before == nil || !s.HasZones(name) {
		return nil
	}
	if slices.Equal(register.HumanParts(before), register.HumanParts(after)) {
		return nil
	}
	return &ScopeError{Path: path.Clean(name), Protected: true,
		Reason: "has sections that belong to people (Dependency Tracking Mode, Declared Upstream, Declared Downstream), and they may not change"}
}
