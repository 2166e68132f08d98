package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"belay/internal/workspace"
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
	for _, s := range a {
		if s.Hidden(path) {
			return true
		}
	}
	return false
}

// Describe implements [Scope].
func (a AllOf) Describe() string {
	var all []string
	for _, s := range a {
		all = append(all, s.Describe())
	}
	return strings.Join(all, " And no more than: ")
}

// SaveScope writes a scope down for another process; it is nil for one that only
// this process knows.
func SaveScope(s Scope) json.RawMessage {
	var all []workspace.ScopeOptions
	var gather func(Scope) bool
	gather = func(s Scope) bool {
		switch s := s.(type) {
		case *workspace.Scope:
			all = append(all, s.Options())
			return true
		case AllOf:
			for _, one := range s {
				if !gather(one) {
					return false
				}
			}
			return true
		}
		return false
	}
	if !gather(s) {
		return nil
	}
	data, err := json.Marshal(all)
	if err != nil {
		panic(err) // they hold nothing but texts
	}
	return data
}

// LoadScope reads what [SaveScope] wrote.
func LoadScope(data json.RawMessage) (Scope, error) {
	var all []workspace.ScopeOptions
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("read a scope: %w", err)
	}
	scope := make(AllOf, 0, len(all))
	for _, o := range all {
		scope = append(scope, workspace.NewScope(o))
	}
	return scope, nil
}
