package attachment

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// What settings take of a text holds beside what the model takes of it.
func TestTextIsCappedBySettings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("zwölf Boxkämpfer ", 100)
	text, textSrc := itemOf(t, "a.txt", []byte(long))
	pdf, pdfSrc := itemOf(t, "a.pdf", pdfBytes(t, nil, strings.Repeat("some words ", 200)))
	for _, tt := range []struct {
		name string
		o    PlannerOptions
		it   Item
		src  Content
		most int // characters
	}{
		{"text", PlannerOptions{TextBytes: 500}, text, textSrc, 500},
		{"text of a PDF", PlannerOptions{PDFTextChars: 300}, pdf, pdfSrc, 300},
		{"text of a PDF by its bytes", PlannerOptions{TextBytes: 200, PDFTextChars: 300}, pdf, pdfSrc, 200},
	} {
		d := plan(t, newPlanner(t, tt.o), tt.it, tt.src, Limits{}, false)
		doc, ok := d.Parts[len(d.Parts)-1].(TextDocumentPart)
		if !ok || !strings.Contains(d.Warning, "only the beginning") {
			t.Errorf("%s: %+v", tt.name, d)
			continue
		}
		r, err := doc.Content.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		r.Close()
		if n := utf8.RuneCount(got); err != nil || n > tt.most || n < tt.most-100 || !utf8.Valid(got) {
			t.Errorf("%s: %d characters, want about %d: %v", tt.name, n, tt.most, err)
		}
		if d := plan(t, newPlanner(t, PlannerOptions{}), tt.it, tt.src, Limits{}, false); strings.Contains(d.Warning, "only the beginning") {
			t.Errorf("%s: without a setting: %s", tt.name, d.Warning)
		}
	}
}
