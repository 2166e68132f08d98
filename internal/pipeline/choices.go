package pipeline

import (
	"context"

	"belay/internal/persona"
	"belay/internal/workspace/scan"
)

// Setting is the name of the setting that a type without instructions leads to.
const Setting = "instructions"

// Choices is everything that can be chosen in a project. What cannot be is listed with the
// reason (workspace 14.4).
type Choices struct {
	ProjectRoot string     `json:"projectRoot"`
	Categories  []Category `json:"categories"`
	// ScopeModes are those of category TASK.
	ScopeModes []Choice `json:"scopeModes"`
	// MaxTargets and MaxAtOnce are how many deliverables one start takes, and how many of
	// them can be worked on at the same time; DefaultAtOnce is that without a word.
	MaxTargets    int `json:"maxTargets"`
	MaxAtOnce     int `json:"maxAtOnce"`
	DefaultAtOnce int `json:"defaultAtOnce"`
}

// Category is a group of types. Selector is what the choice among them is called.
type Category struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	Selector string `json:"selector"`
	Types    []Type `json:"types"`
}

// Choice is something to choose. Reason says why it cannot be.
type Choice struct {
	ID      string `json:"id"`
	Label   string `json:"label"`
	Enabled bool   `json:"enabled"`
	Reason  string `json:"reason,omitempty"`
}

// Type is a type of work.
type Type struct {
	Choice
	// Persona is the one that does it, Description what its instructions say of it.
	Persona     string `json:"persona"`
	Description string `json:"description,omitempty"`
	// Targets is none, optional or required.
	Targets Targets `json:"targets"`
	// Setting is the setting that would enable the type, absent where none does.
	Setting string `json:"setting,omitempty"`
}

// Options returns what can be chosen in a project. Deliverables and knowledge types are those
// of the project's listing.
func (s *Service) Options(ctx context.Context, projectRoot string) (Choices, error) {
	listing, err := s.o.Listing(ctx, projectRoot)
	if err != nil {
		return Choices{}, err
	}
	known, err := s.personas(ctx)
	if err != nil {
		return Choices{}, err
	}
	a := Choices{ProjectRoot: projectRoot, ScopeModes: scopeModes(listing), MaxTargets: MaxTargets, MaxAtOnce: MaxAtOnce, DefaultAtOnce: DefaultAtOnce}
	for _, c := range categories {
		shown := Category{ID: c.id, Label: c.label, Selector: c.selector}
		for _, k := range c.types {
			shown.Types = append(shown.Types, k.shown(known))
		}
		a.Categories = append(a.Categories, shown)
	}
	return a, nil
}

// personas are those of the instructions, by id.
func (s *Service) personas(ctx context.Context) (map[string]persona.Summary, error) {
	list, err := s.o.Engine.Personas(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]persona.Summary, len(list))
	for _, p := range list {
		known[p.ID] = p
	}
	return known, nil
}

// shown is a type as it is offered.
func (k *kind) shown(known map[string]persona.Summary) Type {
	t := Type{Choice: Choice{ID: k.id, Label: k.id, Enabled: true}, Persona: k.persona, Targets: k.targets}
	p, has := known[k.persona]
	switch {
	case k.soon:
		t.Enabled, t.Reason = false, "coming soon"
	case !has:
		t.Enabled, t.Setting = false, Setting
		t.Reason = "the instructions have no file AGENT_" + k.persona + ".md"
	default:
		t.Description = p.Description
	}
	return t
}

// remedy is how the type would be enabled, for a sentence.
func (t *Type) remedy() string {
	if t.Setting == "" {
		return ""
	}
	return "; the setting " + t.Setting + " names their folder"
}

func scopeModes(l scan.Listing) []Choice {
	types := Choice{ID: KnowledgeTypes, Label: "Knowledge types", Enabled: l.KnowledgeDecomposition.Enabled}
	if !types.Enabled {
		types.Reason = "no document in _Decomposition has the marker of a knowledge decomposition"
	}
	return []Choice{{ID: Deliverables, Label: "Deliverables", Enabled: true}, types}
}
