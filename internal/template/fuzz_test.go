package template_test

import (
	"strings"
	"testing"

	"belay/internal/template"
)

// Properties of whatever text: an evaluation ends, within its limits, the same way
// every time; and it does not depend on a task that it does not need.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{
		"{{ .tasks.read-pdf.output.text | upper }}", "{{ range $k, $v := .tasks }}{{ $k }}{{ end }}", "{{ with $x := .tasks.plain }}{{ $x.output.text }}{{ end }}",
		"{{ $x := .input }}{{ range .input.files }}{{ $x = $.tasks.plain }}{{ end }}{{ $x | toJson }}", "{{ index . \"tasks\" \"plain\" \"output\" }}",
		"{{ if and (hasKey .tasks \"plain\") .tasks.plain }}{{ end }}", "{{ dig \"tasks\" \"plain\" \"x\" . }}", "{{ pluck \"plain\" .tasks }}", "{{ . }}{{- /* x */ -}}",
		"{{ break }}{{ range . }}{{ continue }}{{ end }}", "{{ (index .tasks \"plain\").output.text }}", "{{ get . \"tasks\" | keys | join \",\" }}", "{{ call .tasks }}",
		"{{ omit . \"input\" }}", "{{ slice .input.files 1 }}", "{{ with . }}{{ .tasks.plain.output.text }}{{ end }}", "{{ $.tasks.plain }}{{ \"{{\" }}", "{{ .a.b-c--d.e- }}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tmpl, err := template.Parse(text)
		if err != nil {
			return
		}
		if tmpl.Text() != text && !strings.Contains(text, "/*") {
			t.Fatalf("the text became %q", tmpl.Text())
		}
		got, err := tmpl.Execute(world())
		if len(got) > template.MaxOutput {
			t.Fatalf("%d bytes", len(got))
		}
		n := tmpl.Needs()
		if n.All() {
			return
		}
		less := world()
		tasks := less["tasks"].(map[string]any)
		for id := range tasks {
			if n.Pending(func(done string) bool { return done != id }) {
				continue
			}
			delete(tasks, id)
		}
		again, err2 := tmpl.Execute(less)
		if got != again || (err == nil) != (err2 == nil) {
			t.Fatalf("%q needs %v, and without the other tasks:\n%q, %v\n%q, %v", text, n.Tasks(), got, err, again, err2)
		}
	})
}

func BenchmarkExecute(b *testing.B) {
	tmpl, err := template.Parse("{{ .input.dir }}/{{ .tasks.read-pdf.output.text }}.png")
	if err != nil {
		b.Fatal(err)
	}
	w := world()
	w["input"].(map[string]any)["dir"] = "assets"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tmpl.Execute(w); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := template.Parse("{{ .input.dir }}/{{ .tasks.read-pdf.output.text }}.png"); err != nil {
			b.Fatal(err)
		}
	}
}
