package tool

import (
	"slices"
	"strings"
)

// AllOf is the scope of what all of some scopes allow. That of a subagent is what
// both its parent and it may write.
type AllOf []Scope

var _ Scope = AllOf{}

// Allows implements [Scope].
func (a AllOf) Allows(path string, exists bool) error {
	for _, s := range a {
		if err := s.Allows(path, exists); err != nil {
			return err
		}
	}
	return nil
}

// HasZones implements [Scope].
func (a AllOf) HasZones(path string) bool {
	return slices.ContainsFunc(a, func(s Scope) bool { return s.HasZones(path) })
}

// KeepsZones implements [Scope].
func (a AllOf) KeepsZones(path string, before, after []byte) error {
	for _, s := range a {
		if err := s.KeepsZones(path, before, after); err != nil {
			return err
		}
	}
	return nil
}

// Hidden implements [Scope].
func (a AllOf) Hidden(path string) bool {
	return slices.ContainsFunc(a, func(s Scope) bool { return s.Hidden(path) })
}

// Describe implements [Scope].
func (a AllOf) Describe() string {
	var all []string
	for _, s := range a {
		all = append(all, s.Describe())
	}
	return strings.Join(all, " And no more than: ")
}
