package template_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/template"
)

func world() map[string]any {
	return map[string]any{
		"workflow": map[string]any{"id": "wf", "exec_id": "run_1", "input": map[string]any{"image_url": "https://example.com/a.png", "n": 3}},
		"input":    map[string]any{"files": []any{"a.txt", "b.txt"}, "user-name": "Ada", "empty": nil, "said": "<no value>"},
		"tasks": map[string]any{
			"read-pdf": map[string]any{"output": map[string]any{"text": "words", "pages": []any{"one", "two"}}},
			"plain":    map[string]any{"output": map[string]any{"text": "more"}},
			"01-scan":  map[string]any{"output": 7},
		},
	}
}

// Covers: attachments T1
func TestExecute(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no template": "no template",
		"a } b {":     "a } b {",
		"{{ .workflow.id }}/{{ .workflow.exec_id }}":                           "wf/run_1",
		"{{ .tasks.read-pdf.output.text }}":                                    "words",
		"{{ $.tasks.read-pdf.output.text | upper }}":                           "WORDS",
		"{{.tasks.01-scan.output}}":                                            "7",
		"{{ .input.user-name }}, {{ \".input.user-name\" }}, {{ `{{.a-b}}` }}": "Ada, .input.user-name, {{.a-b}}",
		"{{- with .tasks.read-pdf }}{{ .output.text }}{{ end -}}":              "words",
		"{{ range $i, $f := .input.files }}{{ $i }}={{ $f }} {{ end }}":        "0=a.txt 1=b.txt ",
		"{{ range .tasks.read-pdf.output.pages }}{{ . }}{{ end }}":             "onetwo",
		"{{ index .tasks \"read-pdf\" \"output\" \"text\" }}":                  "words",
		"{{ $t := index .tasks \"read-pdf\" }}{{ $t.output.text }}":            "words",
		"{{ .tasks.read-pdf.output.pages.1 }}":                                 "two",
		"{{ (index .input.files 1) }}{{/* a } comment .a-b */}}":               "b.txt",
		"{{ add 1 .workflow.input.n }} {{ 1.5 }} {{ printf \"%05.2f\" 1.5 }}":  "4 1.5 01.50",
		"{{ $d := dict \"a\" 1 }}{{ $_ := set $d \"b\" 2 }}{{ toJson $d }}":    `{"a":1,"b":2}`,
		"{{ if hasKey .tasks \"none\" }}x{{ else }}y{{ end }}":                 "y",
		"{{ default \"d\" .input.empty }}":                                     "d",
		`{{ .input.none | default "d" }}`:                                      "d",
		`{{ .tasks.none.output.text | default "d" | upper }}`:                  "D",
		`{{ if .input.none | default false }}x{{ else }}y{{ end }}`:            "y",
		`{{ (.input.none | default .workflow.id) }}`:                           "wf",
		`{{ $x := .input.none.deep | default "d" }}{{ $x }}`:                   "d",
		`{{ .input.empty | default "d" }}{{ .input.user-name | default "d" }}`: "dAda",
		"{{ dig \"tasks\" \"none\" \"output\" \"-\" . }}":                      "-",
		"{{ range 3 }}{{ . }}{{ end }}":                                        "012",
		"{{/* only */}}":                                                       "",
		"a{{ .input.empty }}b":                                                 "ab",
		"a{{ .input.said }}b{{ if .input.said }}{{ .input.empty }}{{ end }}":   "a<no value>b",
		"{{ trim .input.said }}{{ coalesce .input.empty }}":                    "<no value>",
	} {
		tmpl, err := template.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := tmpl.Execute(world()); err != nil || got != want {
			t.Errorf("%s = %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	w := world()
	for text, want := range map[string]any{
		"{{ .input.files }}":                       w["input"].(map[string]any)["files"],
		"{{.workflow.input.n}}":                    3,
		"{{ $.tasks.01-scan.output }}":             7,
		"{{ .input.files }} ":                      "[a.txt b.txt] ",
		"{{ .workflow.id | upper }}":               "WF",
		"text":                                     "text",
		"{{ .tasks.read-pdf.output.pages.0 }}":     "one",
		"{{ index .input \"files\" }}":             []any{"a.txt", "b.txt"},
		"{{ splitList \",\" \"a,b\" }}":            []any{"a", "b"},
		"{{ until 3 }}":                            []any{0, 1, 2},
		"{{ list 1 (list \"x\") | reverse }}":      []any{[]any{"x"}, 1},
		"{{ .input.none | default (list \"a\") }}": []any{"a"},
		"{{ .input.files | default list }}":        []any{"a.txt", "b.txt"},
		"{{ dict \"a\" 1 }}":                       map[string]any{"a": 1},
		"{{ fromJson \"[1]\" }}":                   []any{int64(1)},
		"{{ fromJson \"[1000000]\" }} ":            "[1000000] ",
		"{{ add 1 2 }}":                            "3",
		"{{ list 1 2 }} ":                          "[1 2] ",
		"{{ .input.empty | default \"\" }}":        "",
		"{{ with .input }}{{ .files }}{{ end }}":   "[a.txt b.txt]",
		"{{ $x := .input.files }}{{ index $x 0 }}": "a.txt",
	} {
		tmpl, err := template.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := tmpl.Value(w)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// Covers: attachments T2
//
// What a template needs is read from its tree: a text that only mentions .tasks
// needs nothing, and a detour by variables, with or index changes nothing.
func TestNeeds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain .tasks.a.output":                                                    "",
		"{{ .input.tasks.a }}":                                                     "",
		"{{ \".tasks.a.output\" }}":                                                "",
		"{{/* .tasks.a */}}{{ .input.x }}":                                         "",
		"{{ .tasks.a.output }}{{ .tasks.b-c.output }}{{ .tasks.a.x }}":             "a b-c",
		"{{ (.tasks.a.output) | upper }}":                                          "a",
		"{{ $.tasks.a.output }}":                                                   "a",
		"{{ index .tasks \"a-b\" \"output\" }}":                                    "a-b",
		"{{ index $ \"tasks\" \"a\" }}":                                            "a",
		"{{ get .tasks \"a\" | toJson }}":                                          "a",
		"{{ $t := .tasks.a }}{{ $t.output }}":                                      "a",
		"{{ with .tasks.a }}{{ .output }}{{ else }}{{ .tasks.b.output }}{{ end }}": "a b",
		"{{ with .input }}{{ .tasks.a }}{{ end }}":                                 "",
		"{{ with .input }}{{ $.tasks.a }}{{ end }}":                                "a",
		"{{ range .tasks.a.output.list }}{{ .tasks.b }}{{ end }}":                  "a",
		"{{ if .tasks.a.output }}{{ end }}":                                        "a",
		"{{ range .tasks }}{{ .output }}{{ end }}":                                 "*",
		"{{ .tasks | toJson }}":                                                    "*",
		"{{ toJson . }}":                                                           "*",
		"{{ toJson $ }}":                                                           "*",
		"{{ . }}":                                                                  "*",
		"{{ index .tasks .input.id }}":                                             "*",
		"{{ with $ }}{{ .tasks.a.output }}{{ end }}":                               "a *",
		"{{ with .tasks }}{{ .a.output }}{{ end }}":                                "a *",
		"{{ $t := .tasks }}{{ $t.a.output }}":                                      "a *",
		"{{ printf \"%s\" .tasks.a.output }}":                                      "a",
		"{{ (index .tasks \"a\").output }}":                                        "a",
	} {
		tmpl, err := template.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		n := tmpl.Needs()
		got := strings.Join(n.Tasks(), " ")
		if n.All() {
			got = strings.TrimSpace(got + " *")
		}
		if got != want {
			t.Errorf("%s needs %q, want %q", text, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{ .workflow.input.image_ulr }}":     `{{ .workflow.input.image_ulr }}: there is no "image_ulr" in .workflow.input; did you mean image_url?`,
		"{{ .workfow.id }}":                   `{{ .workfow.id }}: there is no "workfow" in the context; did you mean workflow?`,
		"{{ .tasks.zzzzzz.output }}":          `there is no "zzzzzz" in .tasks; it has 01-scan, plain, read-pdf`,
		"{{ .input.empty.x }}":                `.input.empty is empty, there is no "x" in it`,
		"{{ .workflow.id.x }}":                `.workflow.id is a text, there is no "x" in it`,
		"{{ .input.files.7 }}":                `.input.files is a list of 2, there is no place "7"`,
		"{{ .input.files":                     "unclosed action",
		"say {{ .input.x }":                   `unexpected "}" in operand; close what {{ opens with }}`,
		"a\n{{ if }}\n{{ end }}":              "line 2 of it: missing value for if",
		"{{ env \"HOME\" }}":                  `function "env" not defined; templates see no clock, environment, network or chance`,
		"{{ getHostByName \"localhost\" }}":   "templates see no clock",
		"{{ now }}":                           "templates see no clock",
		"{{ frobnicate 1 }}":                  `function "frobnicate" not defined`,
		"{{ define \"x\" }}{{ end }}":         "define, block and template are not supported",
		"{{ (index .tasks \"a\").read-pdf }}": "a name with a hyphen behind a parenthesis",
		"{{ fail \"no\" }}":                   "fail: no",
		"{{ index .input.files 9 }}":          "out of range",
		"{{ range 1000000000 }}{{ end }}":     "its loops run more than",
		"{{ range until 1000 }}{{ range until 1000 }}{{ end }}{{ end }}": "its loops run more than",
		"{{ until 1000000000 }}":        "until counts to 1000000000",
		"{{ untilStep 0 10 0 }}":        "untilStep with a step of 0",
		"{{ repeat 1000000000 \"x\" }}": "repeat makes more than",
		"{{ $s := \"xxxxxxxx\" }}{{ range 40 }}{{ $s = print $s $s }}{{ end }}":         "print makes more than",
		"{{ $l := list 1 }}{{ range 40 }}{{ $l = list $l $l }}{{ end }}{{ toJson $l }}": "toJson makes more than",
		"{{ printf \"%99999d\" 1 }}":                  "printf takes no width",
		"{{ printf \"%*d\" 99999 1 }}":                "printf takes no width of *",
		"{{ range 90000 }}0123456789abcdef{{ end }}":  "it writes more than",
		"{{ indent 100000 \"a\\nb\" | repeat 1000 }}": "makes more than",
	} {
		tmpl, err := template.Parse(text)
		if err == nil {
			_, err = tmpl.Execute(world())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n gave %v\n want %s", text, err, want)
		}
	}
}

// An evaluation leaves the context as it was, whatever the template calls.
func TestContextIsOnlyRead(t *testing.T) {
	t.Parallel()
	w := world()
	for _, text := range []string{
		`{{ $_ := set .workflow "id" "changed" }}{{ .workflow.id }}`,
		`{{ $_ := unset .tasks "plain" }}`,
		`{{ $_ := mergeOverwrite .workflow (dict "id" "changed") }}`,
		`{{ append .input.files "c" }}{{ reverse .input.files }}{{ sortAlpha .input.files }}`,
	} {
		tmpl, err := template.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tmpl.Execute(w); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if diff := cmp.Diff(world(), w); diff != "" {
		t.Errorf("the context has changed:\n%s", diff)
	}
}

// Loops around functions that are dear, and functions that compare each with each, are
// stopped by the work that they make and not by its end.
func TestWork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{ $a := repeat 1000000 \"x\" }}{{ range until 90000 }}{{ $b := upper $a }}{{ end }}":                                  "too much work",
		"{{ $a := repeat 1000000 \"a\" }}{{ range until 90000 }}{{ $b := regexMatch \"(a|aa)+b$\" $a }}{{ end }}":               "too much work",
		"{{ $a := repeat 1000000 \"a\" }}{{ regexMatch \"(a?){1000}b$\" $a }}":                                                  "too much work",
		"{{ $a := list (repeat 900000 \"x\") }}{{ range until 90000 }}{{ $b := toJson (dict \"a\" (dict \"b\" $a)) }}{{ end }}": "too much work",
		"{{ uniq (until 90000) }}": "too much work",
		"{{ $a := repeat 900000 \"x\" }}{{ $l := list }}{{ range until 500 }}{{ $l = append $l $a }}{{ end }}{{ has (print $a \"y\") $l }}": "too much work",
		"{{ $long := until 200 }}{{ $l := list }}{{ range until 2000 }}{{ $l = append $l (list $long .) }}{{ end }}{{ uniq $l }}":           "too much work",
		"{{ $a := until 90000 }}" + strings.Repeat("{{ $a = concat $a $a }}", 12):                                                           "concat makes more than",
		"{{ $a := repeat 1000000 \"x\" }}" + strings.Repeat("{{ $b := upper $a }}", 1000):                                                   "too much work",
		"{{ range until 90000 }}" + strings.Repeat("{{ if false }}{{ end }}", 11000) + "{{ end }}":                                          "too much work",
		"{{ $a := uniq (until 5000) }}{{ $s := repeat 100000 \"x \" }}{{ regexFindAll \"x\" $s -1 | len }}":                                 "",
		"{{ range until 20000 }}{{ . | toString | upper }}{{ printf \"%d\" . }}{{ end }}" + strings.Repeat("x", 500):                        "",
	} {
		tmpl, err := template.Parse(text)
		if err != nil {
			t.Fatalf("%.80s: %v", text, err)
		}
		_, err = tmpl.Execute(map[string]any{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: got %v, want %q", text, err, want)
		}
	}
}

// What is missing is nothing only where it is piped into default.
func TestOnlyPipedIntoDefault(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{{ default "d" .input.none }}`, `{{ .input.none }}`, `{{ .input.none | upper | default "d" }}`, `{{ print .input.none | default "d" }}`,
	} {
		tmpl, err := template.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tmpl.Value(world()); !template.IsMissing(err) {
			t.Errorf("%s = %v, %v", text, got, err)
		}
	}
	tmpl, err := template.Parse(`{{ .tasks.a.output | default "d" }}{{ .tasks.b.output }}`)
	if err != nil {
		t.Fatal(err)
	}
	if n := tmpl.Needs(); !cmp.Equal(n.Tasks(), []string{"a", "b"}) || !cmp.Equal(n.Always(), []string{"b"}) {
		t.Errorf("%v, %v", n.Tasks(), n.Always())
	}
}

// A list that refers to one text many times is no way around the limits.
func TestListsAreWeighed(t *testing.T) {
	t.Parallel()
	tmpl, err := template.Parse("{{ list " + strings.Repeat(".big ", 40) + "}}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tmpl.Value(map[string]any{"big": strings.Repeat("x", 1<<20)}); err == nil || !strings.Contains(err.Error(), "makes more than") {
		t.Errorf("%v", err)
	}
}

// Numbers are what they are, however a model or a person wrote them: a function that counts
// takes each whole one, and all are compared with each other.
func TestNumbers(t *testing.T) {
	t.Parallel()
	context := map[string]any{"input": map[string]any{"n": int64(3), "f": 2.5, "w": 4.0, "text": "7", "list": []any{"a"}, "none": nil}}
	execute := func(text string) (string, error) {
		parsed, err := template.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return parsed.Execute(context)
	}
	for text, want := range map[string]string{
		"{{ repeat .input.n `x` }}{{ trunc .input.w `abcdef` }}{{ until .input.n }}{{ seq .input.n }}": "xxxabcd[0 1 2]1 2 3",
		"{{ gt .input.f 2 }} {{ lt .input.n 3.5 }} {{ ge .input.w 4 }} {{ le 2.5 .input.f }}":          "true true true true",
		"{{ eq .input.w 4 }} {{ eq .input.f 2 }} {{ ne .input.n 3.0 }} {{ eq .input.n 1 2 3 }}":        "true false false true",
		"{{ gt (len .input.list) 0 }} {{ lt `a` `b` }} {{ eq .input.none `x` }} {{ eq true true }}":    "true true false true",
	} {
		if got, err := execute(text); err != nil || got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"{{ repeat .input.f `x` }}":        "repeat takes a whole number, and is given 2.5; make it one with int",
		"{{ repeat .input.text `x` }}":     "repeat takes a number, and is given text; make a number of it with int",
		"{{ upper .input.list }}":          "upper takes text, and is given a list; make text of a list with join or toJson",
		"{{ upper .input.none }}":          "upper takes text, and is given nothing; give it a value with default",
		"{{ gt .input.text 3 }}":           "gt does not compare text with a number; make a number of the text",
		"{{ eq .input.list .input.list }}": "eq does not compare a list with a list; deepEqual",
	} {
		if got, err := execute(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}
