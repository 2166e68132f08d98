package tool

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"belay/internal/permit"
)

type fake struct{ name, schema string }

func (f fake) Spec() Spec {
	return Spec{Name: f.name, Description: "does " + f.name, Schema: json.RawMessage(f.schema)}
}

func (f fake) Prepare(context.Context, *Environment, json.RawMessage) (Call, error) {
	return done{}, nil
}

type done struct{}

func (done) Effect() permit.Effect               { return permit.Effect{} }
func (done) Run(context.Context) (Result, error) { return Result{}, nil }

const anyObject = `{"type":"object"}`

func TestInputFaultsAreToldByPlace(t *testing.T) {
	t.Parallel()
	s, err := NewSet(fake{"edit", `{"type":"object","additionalProperties":false,"required":["path"],
		"properties":{"path":{"type":"string"},"times":{"type":"integer","minimum":1}}}`})
	if err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string][]string{
		`{"path":"a"}`:                       nil,
		`{"times":0,"colour":"red"}`:         {"path", "times", "colour"},
		`{"path":"a","tims":1}`:              {"did you mean times?"},
		`{"path":7}`:                         {"path", "string"},
		`[]`:                                 {"the input", "object"},
		`{"path":"a"`:                        {"not valid JSON"},
		`{"path":"a"} {"path":"b"}`:          {"not valid JSON"},
		strings.Repeat(`{"a":`, 100_000):     {"not valid JSON"},
		`{"path":"a","times":1e999999999}`:   {"not valid JSON"},
		`{"path":"a","times":1e-999999999}`:  {"/times: minimum"},
		`{"path":"a","times":1.0e300}`:       nil,
		`{"path":"a","times":"; rm -rf \n"}`: {"times"},
	} {
		_, err := s.Prepare(t.Context(), nil, "edit", json.RawMessage(input))
		if (err == nil) != (want == nil) {
			t.Errorf("input %.40s: error %v, want one about %v", input, err, want)
			continue
		}
		if _, ok := AsRefusal(err); err != nil && !ok {
			t.Errorf("input %.40s: %v is not for the model", input, err)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("input %.40s: %v does not name %q", input, err, w)
			}
		}
	}
	if _, err := s.Prepare(t.Context(), nil, "nope", json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "edit") {
		t.Errorf("an unknown tool: %v, want a refusal that lists the tools", err)
	}
}

// A fault in an element is reported with its place, and of many faults only the first ones.
func TestInputFaultsAreBounded(t *testing.T) {
	t.Parallel()
	s, err := NewSet(fake{"edit", `{"properties":{"edits":{"items":{"additionalProperties":false,"properties":{"old":{"type":"string"}}}}}}`})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Prepare(t.Context(), nil, "edit", json.RawMessage(`{"edits":[{"olt":"x"}`+strings.Repeat(`,{"old":1}`, 20)+`]}`))
	for _, w := range []string{"/edits/0: additional properties 'olt' not allowed (did you mean old?)", "/edits/1/old: got number, want string", "and 11 more"} {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("got %v, want %s", err, w)
		}
	}
}

// A wrong schema is the tool's fault and not the model's.
func TestWrongSchema(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{`{"type":"objct"}`, `{"$ref":"file:///etc/passwd"}`} {
		s, err := NewSet(fake{"a", doc})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Prepare(t.Context(), nil, "a", json.RawMessage(`{}`))
		if _, refused := AsRefusal(err); err == nil || refused {
			t.Errorf("%s: got %v", doc, err)
		}
	}
}

func TestSetRefusesBadTools(t *testing.T) {
	t.Parallel()
	for name, tools := range map[string][]Tool{
		"a blank name": {fake{"", anyObject}},
		"a slash":      {fake{"a/b", anyObject}},
		"a name twice": {fake{"a", anyObject}, fake{"a", anyObject}},
		"no schema":    {fake{"a", ``}},
	} {
		if _, err := NewSet(tools...); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// Whatever the tools are called, every provider takes their names, no two are
// the same, and each leads back.
func TestWireNames(t *testing.T) {
	t.Parallel()
	accepted := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z][a-b_.-]{0,63}`), 0, 30, rapid.ID).Draw(t, "names")
		var tools []Tool
		for _, n := range names {
			tools = append(tools, fake{n, anyObject})
		}
		s, err := NewSet(tools...)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i, spec := range s.Specs() {
			if !accepted.MatchString(spec.Name) || seen[spec.Name] {
				t.Fatalf("%s became %q", names[i], spec.Name)
			}
			seen[spec.Name] = true
			if back, ok := s.Canonical(spec.Name); !ok || back != names[i] {
				t.Fatalf("%q leads back to %q, want %q", spec.Name, back, names[i])
			}
			if got := s.WireName(names[i]); got != spec.Name {
				t.Fatalf("WireName(%q) = %q, want %q", names[i], got, spec.Name)
			}
		}
	})
}

// Turns that offer the same tools share one set, and others get their own.
func TestOnly(t *testing.T) {
	t.Parallel()
	all, err := NewSet(fake{"a", `{}`}, fake{"b", `{}`}, fake{"c", `{}`})
	if err != nil {
		t.Fatal(err)
	}
	without := func(gone ...string) *Set {
		return all.Only(func(name string) bool { return !slices.Contains(gone, name) })
	}
	less := without("b")
	if got := less.Names(); !slices.Equal(got, []string{"a", "c"}) || len(less.Specs()) != 2 {
		t.Errorf("without b: %v", got)
	}
	if without("b") != less || without() != all {
		t.Error("the same tools are another set")
	}
	for _, gone := range []string{"a", "c"} {
		if got := without(gone).Names(); len(got) != 2 || slices.Contains(got, gone) {
			t.Errorf("without %s: %v", gone, got)
		}
	}
}
