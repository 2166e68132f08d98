package decomposition

import (
	"slices"
	"testing"
)

// FuzzNextID holds that the ids of a text are those that the expression finds.
func FuzzNextID(f *testing.F) {
	for _, s := range []string{
		"", "-", "PKG-01", "PKG-0", "xPKG-01", "_PKG-01", "éPKG-01", "DEL-01-02", "DEL-123-45", "DEL-1234-56", "DEL-01-0", "DEL-01",
		"PKG-1234", "PKG-01-02", "PKG-01PKG-02", "PKG-01-PKG-02", "DEL-01-02DEL-03-04", "DEL-DEL-01-02", "PKG--01", "A-PKG-01, (DEL-02-03) DEL-02-03_Name",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got [][]int
		for start, end := nextID(text, 0); start >= 0; start, end = nextID(text, end) {
			got = append(got, []int{start, end})
		}
		if want := anyID.FindAllStringIndex(text, -1); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: %v, the expression finds %v", text, got, want)
		}
	})
}
