package authored_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/authored"
)

// One content written as YAML and as JSON is one tree, but for the places.
func TestYAMLAndJSON(t *testing.T) {
	t.Parallel()
	want := map[string]any{
		"id": "classify", "n": int64(3), "f": 1.5, "yes": true, "none": nil, "words": []any{"a", "b"},
		"meta": map[string]any{"deep": map[string]any{"list": []any{int64(1), "x"}}}, "emoji": "😀",
	}
	for name, text := range map[string]string{
		"yaml":    "id: classify\nn: 3\nf: 1.5\nyes: true\nnone:\nwords: [a, b]\nmeta:\n  deep:\n    list: [1, x]\nemoji: 😀\n",
		"json":    "{\"id\": \"classify\",\n \"n\": 3, \"f\": 1.5, \"yes\": true, \"none\": null, \"words\": [\"a\",\"b\"],\n\"meta\": {\"deep\":{\"list\":[1,\"x\"]}}, \"emoji\": \"\\ud83d\\ude00\"}",
		"anchors": "base: &b {deep: {list: [1, x]}}\nid: classify\nn: 3\nf: 1.5\n\"yes\": true\nnone: ~\nwords: [a, b]\nmeta:\n  <<: *b\nemoji: 😀\n",
	} {
		n, err := authored.Parse(name, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := n.Value().(map[string]any)
		delete(got, "base")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"yaml": "é: x\nlist:\n  - a: \"q\\\"\"\n    b: 12\n",
		"json": "{\"é\": \"x\",\n \"list\": [\n  {\"a\": \"q\\\"\",\n   \"b\": 12}]}",
	} {
		n, err := authored.Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		item := n.Field("list").Items[0]
		var got []int
		for _, f := range item.Fields {
			got = append(got, f.Line, f.Column, f.Value.Line, f.Value.Column)
		}
		want := map[string][]int{"yaml": {3, 5, 3, 8, 4, 5, 4, 8}, "json": {3, 4, 3, 9, 4, 4, 4, 9}}[name]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNotAFile(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+p+",", 9), ",") + "]\n"
	}
	for text, want := range map[string]string{
		"a: [1":                                  "f:1:4: it is not valid YAML",
		"a: 1\na: 2":                             `f:2:1: "a" is given twice`,
		"a: 1\n---\nb: 2":                        "more than one document",
		`{"a": 1, "a": 2}`:                       `f.json:1:10: "a" is given twice`,
		`{"a": tru}`:                             "f.json:1:10: it is not valid JSON",
		`{"a": 1} x`:                             "after the end",
		`{"a": `:                                 "it is not valid JSON",
		"? [a]\n: b":                             "the name of a field must be text",
		"a: &x [*x]":                             "the alias *x stands inside of what it names",
		"a: !!binary aGk=":                       "values of type !!binary are not taken",
		"<<: 3":                                  "<< takes a mapping",
		bomb:                                     "has more than 200000 values",
		strings.Repeat("[", 1000):                "it is not valid YAML",
		strings.Repeat("- ", 100) + "x":          "nested deeper than 64",
		strings.Repeat("x", authored.MaxBytes+1): "more than the 4194304 that are taken",
		"a: \x00":                                "it is not valid YAML",
	} {
		name := "f"
		if strings.HasPrefix(text, "{") {
			name = "f.json"
		}
		_, err := authored.Parse(name, []byte(text))
		var e *authored.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q\n gave %v\n want %s", text, err, want)
		}
	}
	if n, err := authored.Parse("f", nil); err != nil || n.Kind != authored.Null {
		t.Errorf("an empty file: %v, %v", n, err)
	}
}

var innerShape = &authored.Shape{Name: "inner", What: "an inner", Doc: "One within.", Keys: []authored.Key{{Name: "a", Value: authored.Whole{Most: 5}, Doc: "A number."}}}

var taskShape = &authored.Shape{
	Name: "task", What: "a task", Doc: "A step.", By: "type",
	Keys: []authored.Key{
		{Name: "id", Required: true, Value: authored.ID{}, Doc: "Its name."},
		{Name: "name", Required: true, Value: authored.Words{}},
		{Name: "type", Value: authored.Choice{Words: []string{"basic", "router"}}},
		{Name: "count", Value: authored.Whole{Least: 1, Most: 9}},
		{Name: "wait", Value: authored.Length{Most: time.Hour}},
		{Name: "cost", Value: authored.Above{Most: 2}},
		{Name: "list", Value: authored.ListOf{Each: authored.Words{}, Least: 1}},
		{Name: "flag", Value: authored.Truth{}},
		{Name: "inner", Value: innerShape},
		{Name: "inners", Value: authored.ListOf{Each: innerShape}},
		{Name: "short", Value: authored.Either{Short: authored.Words{}, Mapping: innerShape}},
		{Name: "text", Value: authored.Words{Blank: true}},
		{Name: "ways", For: []string{"router"}, Value: authored.MapOf{Each: authored.Words{}}},
	},
	Constraints: []authored.Constraint{
		authored.Clash{One: "inner.a", Is: int64(4), Other: "flag", Message: "no flag with 4", Hint: "remove it"},
	},
}

// Every problem is told, in the file's order, each once, and what is wrong has no value.
func TestRead(t *testing.T) {
	t.Parallel()
	n, err := authored.Parse("f", []byte(`
id: 7 8
nam: x
type: roter
count: 99
wait: fast
list: [a, [b], 3, ""]
flag: maybe
inner: {a: 1, other: 2}
text: {a: 1}
short:
cost: 0
ways: {a: b}
inners: [x, {a: 2}]
`))
	if err != nil {
		t.Fatal(err)
	}
	r := &authored.Report{}
	o := authored.Read(n, r, "tasks[0]", taskShape)
	if o.Text("id") != "" || o.Text("name") != "" || o.Word("type") != "basic" || o.Int("count") != 0 || o.Number("cost") != 0 ||
		o.Duration("wait") != 0 || o.Bool("flag") || o.Text("text") != "" || o.Field("short") != nil {
		t.Error("a wrong field has a value")
	}
	if diff := cmp.Diff([]string{"a", "3"}, o.Texts("list")); diff != "" {
		t.Error(diff)
	}
	if o.Object("inner").Int("a") != 1 || len(o.Objects("inners")) != 1 || o.Objects("inners")[0].Path("a") != "tasks[0].inners[1].a" {
		t.Error("what is right within has no value")
	}
	want := `f:2:5: tasks[0].id: an id has letters, digits, hyphens and underscores, at most 64, and this is "7 8"
f:3:1: tasks[0].nam: a task has no field "nam" (did you mean name?)
f:4:7: tasks[0].type: it must be one of basic, router, and this is "roter" (did you mean router?)
f:5:8: tasks[0].count: it must be a whole number from 1 to 9, and this is 99
f:6:7: tasks[0].wait: it must be a length of time up to 1h, and this is "fast" (write it as 30s, 5m or 1h)
f:7:11: tasks[0].list[1]: it must be text, and this is a list
f:7:19: tasks[0].list[3]: it is empty
f:8:7: tasks[0].flag: it must be true or false, and this is text
f:9:15: tasks[0].inner.other: an inner has no field "other" (it has a)
f:10:7: tasks[0].text: it must be text, and this is a mapping
f:12:7: tasks[0].cost: it must be a number above 0, up to 2, and this is 0
f:14:10: tasks[0].inners[0]: an inner must be a mapping, and this is text (write its fields, KEY: VALUE on a line each)`
	if diff := cmp.Diff(want, r.Err("f").Error()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{id: a, name: b, ways: {x: y}}":                                   "f:1:18: ways: a task of type basic has no ways (it belongs to router)",
		"{id: a, name: b, type: router, ways: {}}":                         "f:1:38: ways: it must be a mapping with at least one entry, and this is a mapping",
		"{id: a, name: b, inner: {a: 4}, flag: false}":                     "f:1:39: flag: no flag with 4 (remove it)",
		"{id: a, name: b, inner: {a: 3}, flag: true, short: x}":            "",
		"{id: 2024, name: 1.5, type: router, ways: {x: 1}, short: {a: 0}}": "",
		"{id: a, name: b, count: 3.0, cost: 2, wait: 1h, inner: null}":     "",
	} {
		n, err := authored.Parse("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r := &authored.Report{}
		authored.Read(n, r, "", taskShape)
		got := ""
		if err := r.Err("f"); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestManyProblems(t *testing.T) {
	t.Parallel()
	r := &authored.Report{}
	for range 3 {
		for i := range 80 {
			r.Add(&authored.Node{Line: 100 - i, Column: 1}, "", "", "wrong")
		}
	}
	var e *authored.Error
	if err := r.Err("f"); !errors.As(err, &e) || len(e.Problems) != authored.MaxProblems || e.More != 30 || e.Problems[0].Line != 21 {
		t.Errorf("%+v", e)
	}
}

// Property: JSON that Go reads is the same value here, however it is written.
func FuzzJSON(f *testing.F) {
	f.Add(`{"a":[1,2.5,"x\n\u00e9",null,true,{"b":{}}]}`)
	f.Add("[]")
	f.Add("\ufeff { \"\": \"\\\\\" }")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := authored.Parse("f.json", []byte(text))
		var want any
		dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
		dec.UseNumber()
		if dec.Decode(&want) != nil || err != nil || n.Kind != authored.List && n.Kind != authored.Map {
			return
		}
		if text[0] != '{' && text[0] != '[' {
			return // YAML may read more
		}
		if diff := cmp.Diff(want, numbers(n)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}

// numbers is a tree with its numbers as they are written.
func numbers(n *authored.Node) any {
	switch n.Kind {
	case authored.Int, authored.Float:
		return json.Number(n.Text)
	case authored.List:
		all := make([]any, len(n.Items))
		for i, c := range n.Items {
			all[i] = numbers(c)
		}
		return all
	case authored.Map:
		all := map[string]any{}
		for _, f := range n.Fields {
			all[f.Name] = numbers(f.Value)
		}
		return all
	default:
		return n.Value()
	}
}

// A whole number of a file stays as it is written, or is refused. Where a text is wanted it is
// taken as it is written.
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	all := []authored.Kind{authored.Int, authored.Float, authored.Map}
	shape := &authored.Shape{What: "a file", Keys: []authored.Key{
		{Name: "a", Value: authored.Free{Kinds: all}}, {Name: "n", Value: authored.Whole{Most: 100}}, {Name: "text", Value: authored.Words{}}, {Name: "id", Value: authored.ID{}},
	}}
	problem := func(name, text string) (*authored.Node, string) {
		n, err := authored.Parse(name, []byte(text))
		if err == nil {
			r := &authored.Report{}
			authored.Read(n, r, "", shape)
			err = r.Err(name)
		}
		if bad := (*authored.Error)(nil); errors.As(err, &bad) {
			return n, bad.Problems[0].Message
		} else if err != nil {
			t.Fatal(err)
		}
		return n, ""
	}
	for text, want := range map[string]any{
		"7": int64(7), "007": int64(7), "08": int64(8), "-12": int64(-12), "+12": int64(12), "0": int64(0), "00": int64(0), "1_000": int64(1000), "0o17": int64(15),
		"0x1F": int64(31), "9223372036854775807": int64(9223372036854775807), "9223372036854775808": 9223372036854775808.0, "010.5": 10.5,
		"010":                          "programs differ on 010: it is 10 or 8",
		"-0_17":                        "programs differ on -0_17: it is 17 or 15",
		"9223372036854775809":          "the number 9223372036854775809 is too large to be kept as it is; write it as text, in quotes",
		"-12_345_678_901_234_567_891":  "the number -12345678901234567891 is too large to be kept as it is; write it as text, in quotes",
		"0012345678901234567890123456": "the number 12345678901234567890123456 is too large to be kept as it is; write it as text, in quotes",
	} {
		n, wrong := problem("f.yaml", "a: "+text+"\n")
		got := any(wrong)
		if wrong == "" {
			got = n.Field("a").Value()
		}
		if v, ok := got.(float64); ok && v == 8 {
			got = int64(8)
		}
		if got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	for name, text := range map[string]string{"f.json": `{"a": {"b": [9223372036854775809]}}`, "f.yaml": "a: {b: [9223372036854775809]}"} {
		if _, wrong := problem(name, text); !strings.Contains(wrong, "too large to be kept") {
			t.Errorf("a large number in %s: %q", name, wrong)
		}
	}
	if _, wrong := problem("f.yaml", "n: 010"); wrong != "programs differ on 010: it is 10 or 8" {
		t.Errorf("010 where a number is wanted: %q", wrong)
	}
	if n, wrong := problem("f.yaml", "text: 010\nid: 12345678901234567890"); wrong != "" || n.Field("text").Text != "010" || n.Field("id").Text != "12345678901234567890" {
		t.Errorf("a number as text: %q", wrong)
	}
}
