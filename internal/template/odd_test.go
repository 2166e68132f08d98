package template_test

import (
	"slices"
	"strings"
	"testing"

	"belay/internal/template"
)

// Whatever a function is given, its errors are about that, and not about the program.
func TestErrorsOfFunctions(t *testing.T) {
	t.Parallel()
	fits := map[string]string{"number": "1", "text": `"ab"`, "list": "(list 1)", "mapping": `(dict "a" 1)`, "true or false": "true"}
	odd := []string{"-5", "0", "99", `"ab"`, `(list 1 "a")`, `(dict "a" 1)`, "true", ".nothing"}
	for _, f := range template.Functions() {
		usual := []string{f.Name}
		for _, takes := range f.Takes {
			arg, ok := fits[strings.TrimSuffix(takes, "...")]
			if !ok {
				arg = `"ab"`
			}
			usual = append(usual, arg)
		}
		calls := [][]string{usual, append(usual, usual[1:]...)}
		for i := range f.Takes {
			for _, arg := range odd {
				call := slices.Clone(usual)
				call[i+1] = arg
				calls = append(calls, call)
			}
		}
		for _, words := range calls {
			call := "{{ " + strings.Join(words, " ") + " }}"
			tmpl, err := template.Parse(call)
			if err == nil {
				_, err = tmpl.Execute(map[string]any{"nothing": nil})
			}
			if err == nil {
				continue
			}
			for _, internal := range []string{"runtime error", "reflect", "interface", "map[", "expected", "strings:"} {
				if strings.Contains(err.Error(), internal) {
					t.Errorf("%s: %v", call, err)
					break
				}
			}
		}
	}
}

// What is nothing is called that, also where a function takes it as a mapping without entries.
func TestNothingIsNoMapping(t *testing.T) {
	t.Parallel()
	tmpl, err := template.Parse(`{{ set .nothing "a" 1 }}`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tmpl.Execute(map[string]any{"nothing": nil})
	if err == nil || !strings.Contains(err.Error(), `set can do nothing with nothing, the text "a" and 1`) {
		t.Errorf("%v", err)
	}
}
