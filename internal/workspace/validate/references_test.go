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
