package view

import (
	"slices"
	"strings"

	"belay/internal/workspace"
)

// Hidden reports whether a path of a project is never shown: in belay's own memory, in that
// of git, or where more says so, which may be nil.
func Hidden(more func(string) bool, rel string) bool { return hides(more, rel) }

// hides reports whether a path is never shown: belay's own memory, that of git, and
// what the caller says.
func hides(more func(string) bool, rel string) bool {
	if rel == "." {
		return false
	}
	return always.Hidden(rel) || slices.ContainsFunc(strings.Split(rel, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }) ||
		more != nil && more(rel)
}

// always hides what every scope does.
var always = new(workspace.Scope)
