package persona

import (
	"slices"
	"strings"
)

// firstWord is the word of a cell of the Agent Type table that counts, in small letters: the
// first, as [Lint] says. A remark may follow.
func firstWord(cell string) string {
	return strings.ToLower(leadingWord.FindString(strings.Trim(cell, "*` ")))
}

// NeverBlocks reports whether the agent works without asking: what would be asked about is
// refused.
func (s *Summary) NeverBlocks() bool { return firstWord(s.Blocking) == "never" }

// Converses reports whether the agent is made for conversations, or does not say for what.
func (s *Summary) Converses() bool { return s.works("chat") }

// TakesTasks reports whether the agent is made for tasks of other agents, or does not say for
// what.
func (s *Summary) TakesTasks() bool { return s.works("spawned", "init-task") }

// works reports whether INTERACTION_SURFACE has one of these ways, both, or nothing. A cell may
// name several.
func (s *Summary) works(ways ...string) bool {
	cell := strings.ToLower(s.Surface)
	return cell == "" || firstWord(cell) == "both" || slices.ContainsFunc(ways, func(way string) bool { return strings.Contains(cell, way) })
}
