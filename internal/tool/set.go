package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"belay/internal/lazyregexp"
	"belay/internal/model"
	"belay/internal/schema"
)

// Set is the tools that a turn offers, in a stable order: the order in which
// they are described to the model, so that prompt caches hold. It is immutable.
type Set struct {
	entries []entry
	specs   []model.ToolSpec
	names   []string
	byName  map[string]int // canonical
	byWire  map[string]int
	// subset is what Only returned last: most turns of a server offer the same tools.
	subset atomic.Pointer[Set]
}

type entry struct {
	tool   Tool
	spec   Spec
	wire   string
	schema func() (*schema.Schema, error)
}

// namePattern is what a canonical name may be.
var namePattern = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// NewSet returns a set of tools. It fails on an ill-formed name, a name that is
// there twice, and a schema that is not JSON. A tool whose schema is wrong otherwise
// fails at its first call.
func NewSet(tools ...Tool) (*Set, error) {
	s := &Set{byName: map[string]int{}, byWire: map[string]int{}}
	for _, t := range tools {
		e := entry{tool: t, spec: t.Spec()}
		if !namePattern.MatchString(e.spec.Name) {
			return nil, fmt.Errorf("tool %q: the name must match %s", e.spec.Name, namePattern)
		}
		if _, twice := s.byName[e.spec.Name]; twice {
			return nil, fmt.Errorf("tool %s: there are two of that name", e.spec.Name)
		}
		if !json.Valid(e.spec.Schema) {
			return nil, fmt.Errorf("tool %s: its schema is not JSON", e.spec.Name)
		}
		e.schema = compileLater(e.spec.Schema)
		s.add(e)
	}
	return s, nil
}

// NoTools is the empty set.
func NoTools() *Set { return &Set{} }

func (s *Set) add(e entry) {
	e.wire = wireName(e.spec.Name, func(name string) bool { _, taken := s.byWire[name]; return taken })
	s.put(e)
}

func (s *Set) put(e entry) {
	s.byName[e.spec.Name], s.byWire[e.wire] = len(s.entries), len(s.entries)
	s.entries = append(s.entries, e)
	s.names = append(s.names, e.spec.Name)
	s.specs = append(s.specs, model.ToolSpec{Name: e.wire, Description: e.spec.Description, Schema: e.spec.Schema})
}

// Only returns the set without the tools for which keep is false.
func (s *Set) Only(keep func(name string) bool) *Set {
	names := slices.DeleteFunc(slices.Clone(s.names), func(name string) bool { return !keep(name) })
	if len(names) == len(s.names) {
		return s
	}
	if last := s.subset.Load(); last != nil && slices.Equal(last.names, names) {
		return last
	}
	less := &Set{byName: map[string]int{}, byWire: map[string]int{}}
	for _, e := range s.entries {
		if keep(e.spec.Name) {
			// The wire name stays what it was, so that a conversation that goes
			// on with fewer tools still means the same ones.
			less.put(e)
		}
	}
	s.subset.Store(less)
	return less
}

// With returns the set with more tools after its own.
func (s *Set) With(tools ...Tool) (*Set, error) {
	if len(tools) == 0 {
		return s, nil
	}
	all := make([]Tool, 0, len(s.entries)+len(tools))
	for _, e := range s.entries {
		all = append(all, e.tool)
	}
	return NewSet(append(all, tools...)...)
}

// Names are the canonical names, in order. They are not to be changed.
func (s *Set) Names() []string {
	if s.names == nil {
		return []string{}
	}
	return s.names
}

// Specs offers the tools to a model, under their wire names. They are not to be
// changed.
func (s *Set) Specs() []model.ToolSpec { return s.specs }

// Canonical is the name of the tool that the model called by name, which is a
// wire name; a canonical name is understood too. It is false for a tool that is
// not in the set.
func (s *Set) Canonical(name string) (string, bool) {
	i, ok := s.byWire[name]
	if !ok {
		i, ok = s.byName[name]
	}
	if !ok {
		return name, false
	}
	return s.entries[i].spec.Name, true
}

// WireName is the provider's name of a tool in the set, and of any other name
// what it would be.
func (s *Set) WireName(name string) string {
	if i, ok := s.byName[name]; ok {
		return s.entries[i].wire
	}
	return wireName(name, func(string) bool { return false })
}

// Prepare checks the input of a call against the tool's schema and lets the tool
// check the rest. Name is canonical. What the model can fix is a [*Refusal].
func (s *Set) Prepare(ctx context.Context, w *Environment, name string, input json.RawMessage) (Call, error) {
	i, ok := s.byName[name]
	if !ok {
		return nil, Refuse("there is no tool named %s", name).WithHint("the tools are: %s", list(s.Names()))
	}
	e := s.entries[i]
	if err := e.validate(input); err != nil {
		return nil, err
	}
	return e.tool.Prepare(ctx, w, input)
}

func list(names []string) string {
	return cmp.Or(strings.Join(slices.Sorted(slices.Values(names)), ", "), "none")
}
