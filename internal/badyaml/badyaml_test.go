package badyaml_test

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"belay/internal/badyaml"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, place, hint string }{
		{"an indent that nothing has", "turn:\n  max_turns: 5\n bad: 1\n", "3:2", "indent"},
		{"a list among settings", "provider: scripted\n- a\n", "2:1", "KEY: VALUE"},
		{"a list that does not end", "turn:\n  max_turns: 5\nprovider: [a, b\nx: 1\n", "3:11", "with ]"},
		{"a field left of its entry", "tasks:\n  - id: t\n  agent: a\n", "3:3", "dash"},
		{"a field between two indents", "tasks:\n  - id: t\n   agent: a\n", "3:4", "dash"},
		{"two on a line", "a: 1\nb: c: d\n", "2:5", "quotes"},
		{"a section with a value", "key: value\n  nested: 1\n", "2:9", "KEY: VALUE"},
		{"a tab", "turn:\n\tmax_turns: 5\n", "2:1", "tabs"},
		{"a quote that does not end", "provider: scripted\nmodel: \"open\nx: 1\n", "2:8", "close the quote"},
		{"a character that needs quotes", "provider: scripted\nx: @foo\n", "2:4", "quotes"},
		{"words", "provider: scripted\nfoo bar\nbaz: 1\n", "2:1", "KEY: VALUE"},
		{"a block that ends early", "a: |\n  x\n y\n", "3:2", "indent"},
		{"a control character", "a: 1\nb: é\x01\n", "2:5", "UTF-8"},
		{"no UTF-8", "a: 1\nb: 2\nc: x\xff\n", "3:5", "UTF-8"},
		{"a list that only opens", "a: 1\nprovider: [\n\n# more\n", "2:11", "close a list with ]"},
		{"a template in a mapping", "- {id: a, prompt: You are. {{ .nope }}}\n", "1:28", "in quotes"},
		{"a template in a list", "a: [x {{ .y }}]\n", "1:7", "in quotes"},
		{"a template in quotes", "a: {b: \"{{ .y }}\" c}\n", "1:4", "close the mapping"},
		{"an anchor of nobody", "a: 1\nb: *none\n", "2:4", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var doc yaml.Node
			err := yaml.Load([]byte(tt.text), &doc)
			if err == nil {
				t.Fatal("it is YAML")
			}
			p := badyaml.Find(err, []byte(tt.text))
			if got := fmt.Sprintf("%d:%d", p.Line, p.Column); got != tt.place || p.Message == "" || !strings.Contains(p.Hint, tt.hint) || (tt.hint == "") != (p.Hint == "") {
				t.Errorf("%s: %s (%s), want %s and %q in the hint; %v", got, p.Message, p.Hint, tt.place, tt.hint, err)
			}
		})
	}
}

func FuzzFind(f *testing.F) {
	f.Add([]byte("a: 1\nb: [\n"))
	f.Add([]byte("\x00"))
	f.Add([]byte("a: \xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var doc yaml.Node
		err := yaml.Load(data, &doc)
		if err == nil {
			return
		}
		lines := 2
		for _, r := range string(data) {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) { // what YAML takes for an end of line
				lines++
			}
		}
		if p := badyaml.Find(err, data); p.Message == "" || p.Line < 0 || p.Line > lines {
			t.Fatalf("%+v in %q", p, data)
		}
	})
}
