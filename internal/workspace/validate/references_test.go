package validate

import (
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// An entry comes apart by hand where it does by an expression.
func TestParted(t *testing.T) {
	t.Parallel()
	dashes := regexp.MustCompile(`\s+(?:—|–|--|-)\s+`)
	rapid.Check(t, func(t *rapid.T) {
		var item string
		for _, p := range rapid.SliceOfN(rapid.SampledFrom([]string{" ", "\t", "-", "--", "–", "—", "a", "é", " - "}), 0, 12).Draw(t, "pieces") {
			item += p
		}
		if got, want := parted(item), dashes.Split(item, -1); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, the expression has %q", item, got, want)
		}
	})
}

// A link leads where Markdown says: between < and > also with blanks, with one pair of brackets,
// and with escapes.
func TestLink(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"[x](a.md)": "a.md", "see [x]( a/b.md 'title') there": "a/b.md", "[x](<My File.pdf>)": "My File.pdf", "[x](<a(1.md> \"t\")": "a(1.md",
		"[x](Spec(v2).md)": "Spec(v2).md", "[x](Spec%28v2%29.md)": "Spec(v2).md", "[x](%C3%BC%20b.md)": "ü b.md", "[x](100%.md)": "100%.md", "([x](a.md))": "a.md",
	} {
		if _, got, ok := link(written); !ok || got != want {
			t.Errorf("%s leads to %q, want %q", written, got, want)
		}
	}
	if _, _, ok := link("[x] (a.md)"); ok {
		t.Error("what is no link is one")
	}
}
