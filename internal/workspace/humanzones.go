package workspace

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// dependenciesFile has two owners: people declare, agents extract (workspace 5.1).
const dependenciesFile = "_dependencies.md"

// humanSections are the headings of _DEPENDENCIES.md that belong to people. A
// heading may go on in brackets.
var humanSections = []string{"dependency tracking mode", "declared upstream", "declared downstream"}

// KeepsZones returns nil unless writing after where before stood would change a
// part of the file that belongs to people, which only ORCHESTRATOR may: then it
// is a [*ScopeError]. A file that does not exist yet has no such parts: before
// is nil.
func (s *Scope) KeepsZones(name string, before, after []byte) error {
	parts := components(path.Clean(name))
	if before == nil || s.orchestrator || len(parts) == 0 || !names(fold(parts[len(parts)-1]), dependenciesFile) {
		return nil
	}
	if slices.Equal(humanZones(before), humanZones(after)) {
		return nil
	}
	return &ScopeError{Path: path.Clean(name), Protected: true,
		Reason: "has sections that belong to people (Dependency Tracking Mode, Declared Upstream, Declared Downstream), and they may not change"}
}

// humanZones returns the human-owned sections, headings included, in their order.
// Blank lines and rules between sections do not count.
func humanZones(text []byte) []string {
	var zones []string
	open := false
	for line := range bytes.Lines(text) {
		line := strings.TrimRight(string(line), " \t\r\n")
		if heading, ok := strings.CutPrefix(line, "##"); ok && !strings.HasPrefix(heading, "#") {
			open = human(heading)
		} else if strings.HasPrefix(line, "# ") {
			open = false
		}
		if open && line != "" && line != "---" {
			zones = append(zones, line)
		}
	}
	return zones
}

func human(heading string) bool {
	heading = strings.ToLower(strings.TrimSpace(heading))
	return slices.ContainsFunc(humanSections, func(s string) bool {
		rest, ok := strings.CutPrefix(heading, s)
		return ok && (rest == "" || strings.HasPrefix(rest, " "))
	})
}
