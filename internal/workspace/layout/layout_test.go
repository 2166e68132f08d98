package layout

import (
	"strings"
	"testing"
)

func TestParseName(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]Name{
		"PKG-01_Build_And_Packaging":          {Package, "PKG-01", "Build_And_Packaging"},
		"PKG-001_General & \"x\", y":          {Package, "PKG-001", "General & \"x\", y"},
		"PKG-1_x":                             {},
		"PKG-01x":                             {},
		"PKG-01":                              {Package, "PKG-01", ""},
		"DEL-01-02_Name":                      {Deliverable, "DEL-01-02", "Name"},
		"DEL-001-02":                          {Deliverable, "DEL-001-02", ""},
		"DEL-01-002_x":                        {},
		"KTY-AB-01_Know":                      {KnowledgeType, "KTY-AB-01", "Know"},
		"_Archive":                            {},
		"PKG-01\n_x":                          {},
		"DEL-01-02_" + strings.Repeat("x", 9): {Deliverable, "DEL-01-02", "xxxxxxxxx"},
	} {
		if got := ParseName(folder); got != want {
			t.Errorf("ParseName(%q) = %+v, want %+v", folder, got, want)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add(`a/b\c:d*e?f"g<h>i|j  k `)
	f.Add(" . ")
	f.Fuzz(func(t *testing.T, name string) {
		got := Sanitize(name)
		if strings.ContainsAny(got, `/\:*?"<>|`+"\x00\n\r\t") || got != strings.TrimSpace(got) || strings.Contains(got, "  ") {
			t.Errorf("Sanitize(%q) = %q", name, got)
		}
		if again := Sanitize(got); again != got {
			t.Errorf("%q sanitized again is %q", got, again)
		}
		if folder := "DEL-01-02_" + got; ParseName(folder).Label != got {
			t.Errorf("the label of %q is %q", folder, ParseName(folder).Label)
		}
	})
}

// Covers: workspace 10.1, 10.2
func TestFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"Build & Packaging", "PKG-01_Build & Packaging"},
		{"a/b  c.", "PKG-01_a-b c"},
		{" . ", ""},
		{strings.Repeat("ä", 200), "PKG-01_" + strings.Repeat("ä", 124)},
		{strings.Repeat("x", 247) + " yy", "PKG-01_" + strings.Repeat("x", 247)},
	} {
		if got := Folder("PKG-01", c.name); got != c.want {
			t.Errorf("Folder(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestIsSnapshot(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]bool{
		"EST_DEL-01-01_2026-02-18_1200": true, "x_2026-02-18_1200_2": true, "x_2026-02-18_1200_17": true,
		"_2026-02-18_1200": false, "x_2026-02-18": false, "x_2026-02-18_120": false, "x_2026-02-18_1200_": false, "": false,
	} {
		if got := IsSnapshot(folder); got != want {
			t.Errorf("IsSnapshot(%q) = %v", folder, got)
		}
	}
}
