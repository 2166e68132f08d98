package document

import (
	"slices"
	"testing"
)

func TestAliases(t *testing.T) {
	t.Parallel()
	if got := Names("_STATUS.md", "history"); len(got) < 2 || got[0] != "History" || !slices.Contains(got, "State History") {
		t.Errorf("names %q", got)
	}
	if got := Names("OTHER.md", "History"); !slices.Equal(got, []string{"History"}) {
		t.Errorf("names of another file %q", got)
	}
	for heading, want := range map[string]string{"State history:": "History", "History": "History", "Remaining": "Remaining"} {
		name, aliased := Canonical("_STATUS.md", heading)
		if name != want || aliased != (heading == "State history:") {
			t.Errorf("Canonical(%q) = %q, %v", heading, name, aliased)
		}
	}
	// No name stands for two headings of a file.
	seen := map[string]bool{}
	for _, a := range aliases {
		for _, n := range a.names {
			if key := a.file + "\n" + plain(n); seen[key] {
				t.Errorf("%s: %q is there twice", a.file, n)
			} else {
				seen[key] = true
			}
		}
	}
}
