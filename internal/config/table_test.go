package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// The table is what the loader, the reference page and the schema are made of.
func TestTable(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*){0,2}$`)
	envs := map[string]string{"BELAY_CONFIG": "the file"}
	keys := settings(&Config{})
	for _, k := range keys {
		if !name.MatchString(k.name) {
			t.Errorf("%s is not a name in the house's form", k.name)
		}
		for _, env := range append([]alias{{name: k.env()}}, k.aliases...) {
			if other, taken := envs[env.name]; taken {
				t.Errorf("%s and %s share the variable %s", k.name, other, env.name)
			}
			envs[env.name] = k.name
		}
		if k.why == "" {
			t.Errorf("%s: nobody knows why to change it; make it a constant", k.name)
		}
		if _, gone := removedSetting(k.name); gone {
			t.Errorf("%s is a setting that was removed", k.name)
		}
		if isSection(k.name) {
			t.Errorf("%s is both a setting and a section", k.name)
		}
		if err := k.value.set(k.def, "/base"); err != nil && k.def != "" {
			t.Errorf("%s: default %q: %v", k.name, k.def, err)
		}
		if _, ok := k.value.(tightener); k.project == tighten && !ok {
			t.Errorf("%s can be tightened but has no stricter direction", k.name)
		}
	}
}

// Every field of Config is bound to a setting: a field that nothing sets would
// be a limit that nobody can see.
func TestEveryFieldIsASetting(t *testing.T) {
	t.Parallel()
	var c Config
	fill(reflect.ValueOf(&c).Elem())
	for _, k := range settings(&c) {
		switch v := k.value.(type) {
		case entries[Price]:
			*v.p = nil
		case entries[Model]:
			*v.p = nil
		case list:
			*v.p = nil
		default:
			p := reflect.ValueOf(k.value).FieldByName("p")
			reflect.NewAt(p.Type().Elem(), p.UnsafePointer()).Elem().SetZero()
		}
	}
	c.Paths.ConfigFile, c.Paths.ConfigDir = "", "" // where it was looked for, no settings
	if v := reflect.ValueOf(c); !v.IsZero() {
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				t.Errorf("%s holds a field without a setting: %+v", v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
}

// fill makes every settable field differ from zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Keys" && f.Name != "Warnings" {
				fill(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	}
}

// The schema accepts what Load accepts and refuses the plainest mistakes.
func TestSchema(t *testing.T) {
	t.Parallel()
	user, project := compile(t, false), compile(t, true)
	good, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(good) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, f := range good {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t)
		w.user(string(data))
		w.load()
		if err := user.Validate(jsonOf(t, string(data))); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	for text, ok := range map[string]bool{
		"turn: {max_turns: 5}":         true,
		"turn: {max_turns: 0}":         false,
		"turn: {max_turns: x}":         false,
		"turn: {max_turn: 5}":          false,
		"turn: {stall_timeout: 1m30s}": true,
		"turn: {stall_timeout: 90}":    false,
		"turn: {max_tokens: 5}":        true,
		"turn: {message_bytes: 5}":     false,
		"provider: stub":               true,
		"provider: other":              false,
		"bus: {enabled: 1}":            false,
		"discord: {channels: {'1': {project: /p, mode: active}}}": true,
		"discord: {channels: {'1': {mode: active}}}":              false,
		"discord: {questions: dm}":                                true,
		"discord: {questions: mail}":                              false,
		"prices: {m: {input: 1}}":                                 true,
		"prices: {m: {in: 1}}":                                    false,
		"attachments: {roots: project}":                           true,
		"addr: 5":                                                 false,
	} {
		if err := user.Validate(jsonOf(t, text)); (err == nil) != ok {
			t.Errorf("%s: %v, want valid: %v", text, err, ok)
		}
	}
	for text, ok := range map[string]bool{"turn: {max_turns: 5}": true, "default_model: m": true, "provider: scripted": false, "session_root: /x": false} {
		if err := project.Validate(jsonOf(t, text)); (err == nil) != ok {
			t.Errorf("project: %s: %v, want valid: %v", text, err, ok)
		}
	}
}

func compile(t *testing.T, forProject bool) *jsonschema.Schema {
	t.Helper()
	b, err := Schema(forProject)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// jsonOf is a YAML text as the JSON value that an editor checks.
func jsonOf(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Load([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
