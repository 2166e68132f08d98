package nearest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOf(t *testing.T) {
	t.Parallel()
	commands := []string{"serve", "session", "turn", "usage", "persona", "gc"}
	for _, tt := range []struct {
		name string
		want string
	}{
		{"trun", "turn"},
		{"turm", "turn"},
		{"turns", "turn"},
		{"TURN", "turn"},
		{"sesion", "session"},
		{"sess", "session"},
		{"pers", "persona"},
		{"ser", "serve"},
		{"cg", "gc"},
		{"bogus", ""},
		{"frobnicate", ""},
		{"", ""},
		{strings.Repeat("turn", 1000), ""},
	} {
		if got := Of(tt.name, commands); got != tt.want {
			t.Errorf("Of(%.20q) = %q, want %q", tt.name, got, tt.want)
		}
	}
	// Equally near: the one that begins alike, wherever it stands in the list.
	for _, known := range [][]string{{"run", "turn"}, {"turn", "run"}} {
		if got := Of("trun", known); got != "turn" {
			t.Errorf("Of(trun, %v) = %q, want turn", known, got)
		}
	}
	if got := Of("turn", nil); got != "" {
		t.Errorf("nothing is known, and it found %q", got)
	}
	if got := Of("dontask", []string{"direct", "dontAsk"}); got != "dontAsk" {
		t.Errorf("capitals count: %q", got)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "ab", 1}, {"abc", "axc", 1}, {"abc", "acb", 1},
		{"kitten", "sitting", 3}, {"Müller", "Muller", 1},
	} {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// A distance does not depend on the order, is nothing only between equals, and
// is never more than the longer name.
func TestDistanceIsADistance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,8}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := Distance(a, b)
		if d != Distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Fatalf("Distance(%q, %q) = %d, the other way %d", a, b, d, Distance(b, a))
		}
	})
}
