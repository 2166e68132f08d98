package resolve

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/scan"
)

// newProject is a project with these folders of deliverables, each with a _STATUS.md.
func newProject(t *testing.T, folders ...string) (string, *scan.Result) {
	t.Helper()
	root := t.TempDir()
	for _, f := range folders {
		if err := os.MkdirAll(filepath.Join(root, f), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, f, "_STATUS.md"), []byte("**Current State:** OPEN\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := scan.Scan(t.Context(), root, scan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return root, r
}

const (
	deck   = "PKG-01_Bridge/1_Working/DEL-01-01_Deck Levels, North"
	survey = "PKG-02_Road/1_Working/DEL-01-01_Land_Survey"
	rail   = "PKG-02_Road/1_Working/DEL-02-01_Rail"
	upper  = "PKG-04_A/1_Working/DEL-04-01_X"
	lower  = "PKG-04_a/1_Working/DEL-04-01_x"
	old    = "PKG-02_Road/1_Working/_Archive/DEL-02-03_Kerb"
)

// TestDeliverable: each form of a name means the same deliverable, and what is written
// exactly comes first.
func TestDeliverable(t *testing.T) {
	t.Parallel()
	root, r := newProject(t, deck, survey, rail, upper, lower, old)
	p := In(root, r, nil)
	for name, want := range map[string]string{
		"DEL-02-01": rail, " del-02-01 ": rail, "DEL-002-01": rail, "DEL-2-1": rail, "DEL-02-01_Rail": rail, "DEL-02-01_Old Name": rail,
		"PKG-02::DEL-02-01": rail, "pkg-002::del-02-01": rail, "PKG-02_Road::DEL-02-01": rail, "Road::DEL-02-01": rail, "PKG-02_Old::DEL-02-01_Rail": rail,
		rail: rail, rail + "/": rail, "./" + rail: rail, filepath.Join(root, rail): rail, "rail": rail,
		"PKG-01::DEL-01-01": deck, "PKG-02::DEL-01-01": survey, "land survey": survey, "Deck Levels, North": deck,
		"PKG-04_A::DEL-04-01": upper, "PKG-04_a::DEL-04-01": lower, "DEL-04-01_x": lower,
	} {
		if f, err := p.Deliverable(name); err != nil || f.Path != want {
			t.Errorf("%q: %+v, %v, want %s", name, f, err, want)
		}
	}
	for name, want := range map[string]struct {
		kind    fault.Type
		details string
		names   []string
	}{
		"DEL-01-01":         {fault.AmbiguousName, "candidates", []string{"PKG-01_Bridge::DEL-01-01", "PKG-02_Road::DEL-01-01"}},
		"pkg-04::DEL-04-01": {fault.AmbiguousName, "candidates", []string{"PKG-04_A::DEL-04-01", "PKG-04_a::DEL-04-01"}},
		"DEL-02-02":         {fault.DeliverableNotFound, "nearest", []string{"DEL-02-01"}},
		"PKG-01::DEL-02-01": {fault.DeliverableNotFound, "nearest", []string{"DEL-02-01"}},
		"DEL-02-03":         {fault.DeliverableNotFound, "copies", []string{old}},
		"../" + rail:        {fault.DeliverableNotFound, "", nil},
		"/etc":              {fault.DeliverableNotFound, "", nil},
		"":                  {fault.InvalidRequest, "", nil},
	} {
		_, err := p.Deliverable(name)
		var got []string
		if e := fault.From(err); e != nil && want.details != "" {
			got, _ = e.Details[want.details].([]string)
		}
		if !fault.Is(err, want.kind) || want.details != "" && (len(got) == 0 || !slices.Equal(got[:min(len(got), len(want.names))], want.names)) {
			t.Errorf("%q: %v, %v", name, err, got)
		}
	}
	// What is hidden is no candidate, and nothing is said of it.
	hidden := In(root, r, func(path string) bool { return path == survey || path == old })
	if f, err := hidden.Deliverable("DEL-01-01"); err != nil || f.Path != deck {
		t.Errorf("one is hidden: %+v, %v", f, err)
	}
	if _, err := hidden.Deliverable("DEL-02-03"); fault.From(err).Details["copies"] != nil {
		t.Errorf("a hidden copy: %v", err)
	}
}

func TestPackage(t *testing.T) {
	t.Parallel()
	root, r := newProject(t, deck, rail, upper, lower)
	p := In(root, r, nil)
	for name, want := range map[string]string{
		"PKG-01": "PKG-01_Bridge", "pkg-001": "PKG-01_Bridge", "PKG-01_Bridge": "PKG-01_Bridge", "bridge": "PKG-01_Bridge", "./PKG-02_Road/": "PKG-02_Road", "PKG-04_a": "PKG-04_a",
	} {
		if pkg, err := p.Package(name); err != nil || pkg.Folder != want {
			t.Errorf("%q: %+v, %v, want %s", name, pkg, err, want)
		}
	}
	for name, want := range map[string]fault.Type{"PKG-04": fault.AmbiguousName, "PKG-03": fault.NotFound, " ": fault.InvalidRequest} {
		if _, err := p.Package(name); !fault.Is(err, want) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestFilter: an id selects all that has it, a key one folder; commas part names, unless
// they belong to one.
func TestFilter(t *testing.T) {
	t.Parallel()
	root, r := newProject(t, deck, survey, rail, old)
	p := In(root, r, nil)
	defined := func(number string) string { return map[string]string{"DEL-9-1": "DEL-09-01"}[number] }
	for name, want := range map[string][]string{
		"DEL-01-01":          {"DEL-01-01"},
		"PKG-01::DEL-01-01":  {"PKG-01_Bridge::DEL-01-01"},
		"rail,DEL-009-01":    {"DEL-02-01", "DEL-09-01"},
		"Deck Levels, North": {"PKG-01_Bridge::DEL-01-01"},
		"DEL-02-03":          {"DEL-02-03"},
	} {
		f, err := p.Filter(&finding.Filter{Deliverables: []string{name}}, defined, nil)
		if err != nil || !slices.Equal(f.Deliverables, want) {
			t.Errorf("%q: %+v, %v, want %v", name, f, err, want)
		}
	}
	if _, err := p.Filter(&finding.Filter{Packages: []string{"PKG-02,PKG-09"}}, nil, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("a package that is not there: %v", err)
	}
}
