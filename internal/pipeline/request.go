package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"belay/internal/fault"
	"belay/internal/nearest"
	"belay/internal/turn"
	"belay/internal/workspace/resolve"
	"belay/internal/workspace/scan"
)

// Limits of a request.
const (
	// MaxTargets is how many deliverables one start takes.
	MaxTargets = 200
	// MaxAtOnce is how many sessions of a batch can work at the same time, and
	// DefaultAtOnce how many do where the request does not say.
	MaxAtOnce     = 8
	DefaultAtOnce = 2
	// MaxNote is how many bytes the person's own words have.
	MaxNote = 4096
)

// Request is a start of work, or a preview of one.
type Request struct {
	ProjectRoot string
	// Category and Type are ids of the table; the type of category TASK is the task agent.
	Category, Type string
	// ScopeMode is of category TASK; "" stands for [Deliverables]. KnowledgeType goes with
	// [KnowledgeTypes].
	ScopeMode, KnowledgeType string
	// Targets are names of deliverables. Each gets a session of its own.
	Targets []string
	// Note is added to the message.
	Note string
	// AtOnce is how many sessions work at the same time; 0 stands for [DefaultAtOnce].
	AtOnce int
	// Opts are the options of the turns.
	Opts turn.Opts
	// Key identifies a repeated request, "" for one that is not repeated.
	Key string
}

// plan is a request that can be carried out.
type plan struct {
	Request
	category *category
	kind     *kind
	// targets are the deliverables, or one nil for the whole project.
	targets []*scan.ListedDeliverable
}

// check looks at the whole request and returns every problem at once.
func (s *Service) check(ctx context.Context, r Request) (*plan, error) {
	listing, err := s.o.Listing(ctx, r.ProjectRoot)
	if err != nil {
		return nil, err
	}
	known, err := s.personas(ctx)
	if err != nil {
		return nil, err
	}
	p := &plan{Request: r}
	var bad problems
	if p.category = categoryOf(r.Category); p.category == nil {
		bad.choose("category", r.Category, ids(categories, func(c category) string { return c.id }))
	} else if p.kind = p.category.kindOf(r.Type); p.kind == nil {
		bad.choose("type", r.Type, ids(p.category.types, func(k kind) string { return k.id }))
	} else if t := p.kind.shown(known); !t.Enabled {
		bad.add("type", "%s cannot be started: %s%s", r.Type, t.Reason, t.remedy())
	}
	bad.scope(p, listing)
	p.targets = bad.targets(p, listing)
	if len(r.Note) > MaxNote || !utf8.ValidString(r.Note) {
		bad.add("note", "must be text of at most %d bytes", MaxNote)
	}
	if r.AtOnce < 0 || r.AtOnce > MaxAtOnce {
		bad.add("atOnce", "must be 1 to %d", MaxAtOnce)
	}
	if r.Opts.Persona != "" {
		bad.add("opts.persona", "is not a choice: category and type decide who works")
	}
	if known := modes(); r.Opts.Mode != "" && !slices.Contains(known, r.Opts.Mode) {
		bad.choose("opts.mode", r.Opts.Mode, known)
	}
	for _, name := range r.Opts.Unknown {
		bad.add("opts."+clip(name), "is not an option of a turn")
	}
	if err := r.Opts.Validate(); err != nil {
		bad.include(err)
	}
	if bad.Len() > 0 {
		return nil, bad.Err()
	}
	p.AtOnce = cmp.Or(p.AtOnce, DefaultAtOnce)
	return p, nil
}

// problems are what is wrong with a request.
type problems struct{ fault.Problems }

func (b *problems) add(field, format string, args ...any) {
	b.Add(field, fmt.Sprintf(format, args...))
}

// choose says that a word is none of these, and which one was perhaps meant.
func (b *problems) choose(field, got string, words []string) {
	switch like := nearest.Of(got, words); {
	case got == "":
		b.add(field, "is required: %s", strings.Join(words, ", "))
	case like != "":
		b.add(field, "%q is none of them; did you mean %s?", clip(got), like)
	default:
		b.add(field, "%q must be one of %s", clip(got), strings.Join(words, ", "))
	}
}

// include takes over the problems of a typed error.
func (b *problems) include(err error) {
	f := fault.From(err)
	if list, ok := f.Details["problems"].([]fault.Problem); ok {
		for _, p := range list {
			b.Add(p.Field, p.Message)
		}
		return
	}
	b.add("opts", "%s", f.Message)
}

// scope checks the controls that only category TASK has.
func (b *problems) scope(p *plan, l scan.Listing) {
	if p.category == nil {
		return
	}
	if p.category.id != Task {
		if p.ScopeMode != "" && p.ScopeMode != Deliverables {
			b.add("scopeMode", "belongs to category %s", Task)
		}
		if p.KnowledgeType != "" {
			b.add("knowledgeType", "belongs to category %s", Task)
		}
		return
	}
	p.ScopeMode = cmp.Or(p.ScopeMode, Deliverables)
	modes := scopeModes(l)
	i := slices.IndexFunc(modes, func(m Choice) bool { return m.ID == p.ScopeMode })
	switch {
	case i < 0:
		b.choose("scopeMode", p.ScopeMode, ids(modes, func(m Choice) string { return m.ID }))
	case !modes[i].Enabled:
		b.add("scopeMode", "%s cannot be chosen: %s", p.ScopeMode, modes[i].Reason)
	case p.ScopeMode == KnowledgeTypes && typeOf(l, p.KnowledgeType) == nil:
		b.choose("knowledgeType", p.KnowledgeType, ids(l.KnowledgeTypes, func(t scan.ListedType) string { return t.ID }))
	case p.ScopeMode == Deliverables && p.KnowledgeType != "":
		b.add("knowledgeType", "goes with the scope mode %s", KnowledgeTypes)
	}
}

func typeOf(l scan.Listing, id string) *scan.ListedType {
	i := slices.IndexFunc(l.KnowledgeTypes, func(t scan.ListedType) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return &l.KnowledgeTypes[i]
}

// targets finds the deliverables that a request names.
func (b *problems) targets(p *plan, l scan.Listing) (found []*scan.ListedDeliverable) {
	switch {
	case p.kind == nil:
		return nil
	case p.kind.targets == NoTargets && len(p.Targets) > 0:
		b.add("targets", "%s works on the whole project", p.Type)
		return nil
	case p.kind.targets == NeedsTargets && len(p.Targets) == 0:
		b.add("targets", "is required: %s works on chosen deliverables", p.Type)
		return nil
	case len(p.Targets) > MaxTargets:
		b.add("targets", "has %d deliverables; a start takes at most %d", len(p.Targets), MaxTargets)
		return nil
	case len(p.Targets) == 0:
		return []*scan.ListedDeliverable{nil}
	}
	t := typeOf(l, p.KnowledgeType)
	known, byPath := named(p.ProjectRoot, l)
	seen := map[*scan.ListedDeliverable]bool{}
	for i, name := range p.Targets {
		field := fmt.Sprintf("targets[%d]", i)
		f, err := known.Deliverable(name)
		if err != nil {
			b.unnamed(field, err)
			continue
		}
		d := byPath[f.Path]
		switch {
		case seen[d]:
			b.add(field, "%q is given twice", clip(name))
		case t != nil && p.ScopeMode == KnowledgeTypes && !slices.Contains(t.MatchingDeliverableKeys, keyOf(d)):
			b.add(field, "%q has no %s", clip(name), t.Label)
		default:
			found = append(found, d)
		}
		seen[d] = true
	}
	return found
}

// unnamed says why a name stands for no deliverable, and which name would.
func (b *problems) unnamed(field string, err error) {
	f := fault.From(err)
	text := f.Message
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	b.add(field, "%s", text)
}

// named are the deliverables of a listing for those who name one, and by their folders.
func named(root string, l scan.Listing) (*resolve.Project, map[string]*scan.ListedDeliverable) {
	all := &scan.Result{}
	byPath := make(map[string]*scan.ListedDeliverable, len(l.Deliverables))
	for i := range l.Deliverables {
		d := &l.Deliverables[i]
		at := relative(root, d.Path)
		byPath[at] = d
		all.Deliverables = append(all.Deliverables, &scan.Folder{ID: d.ID, Name: d.Name, Package: d.Pkg, Path: at})
	}
	return resolve.In(root, all, nil), byPath
}

// keyOf is the key of a deliverable, PKG::ID.
func keyOf(d *scan.ListedDeliverable) string { return d.Pkg + "::" + d.ID }

// clip is a text from outside, short and on one line.
func clip(s string) string {
	const most = 120
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most-1]) + "…"
	}
	return fault.Clip(s)
}
