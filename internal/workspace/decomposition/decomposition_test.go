package decomposition

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/layout"
)

func TestTables(t *testing.T) {
	t.Parallel()
	d := Parse("d.md", []byte(`# A bridge — what it takes apart

| ScopeItemID | InOutStatus | ScopeItemStatement |
|---|---|---|
| SOW-001 | IN | Survey. |
| SOW-002 | IN | Deck. |
| SOW-004 | IN | Rail. |

| ObjectiveID | Objective |
|---|---|
| OBJ-001 | People cross. |

| PackageID | Name | ScopeDescription |
|---|---|---|
| PKG-01 | Deck \| Rail | What one walks on. |
| **PKG-02** | Survey | What there is. |

### PKG-01 — Deck \| Rail

| DeliverableID | Name | Discipline | Type | ResponsibleParty | Description | AcceptanceCriteria | AnticipatedArtifacts | CoversScopeItems | SupportsObjectives |
|---|---|---|---|---|---|---|---|---|---|
| DEL-01-01 | Levels \| slopes | Civil | TABLE | TBD | The levels.<br>All of them. | Dry at high water. | Table; drawing (A1) | SOW-001–SOW-004 | OBJ-001 |
| DEL-01-02 | **Rail** | | DRAWING | | | | CODE/TEST | SOW-009 | |

## Amendment

| DeliverableID | PackageID | Name | Type |
|---|---|---|---|
| DEL-02-01 | PKG-02 | Levels as found | TABLE |
`))
	want := []Deliverable{
		{ID: "DEL-01-01", Name: "Levels | slopes", Package: "PKG-01", Discipline: "Civil", Type: "TABLE", Responsible: "TBD",
			Description: "The levels.\nAll of them.", Acceptance: []string{"Dry at high water."}, Artifacts: []string{"Table", "drawing (A1)"},
			ScopeItems: []string{"SOW-001", "SOW-002", "SOW-004"}, Objectives: []string{"OBJ-001"}, Line: 22},
		{ID: "DEL-01-02", Name: "Rail", Package: "PKG-01", Type: "DRAWING", Artifacts: []string{"CODE", "TEST"}, ScopeItems: []string{"SOW-009"}, Line: 23},
		{ID: "DEL-02-01", Name: "Levels as found", Package: "PKG-02", Type: "TABLE", Line: 29},
	}
	if diff := cmp.Diff(want, d.Deliverables); diff != "" {
		t.Error(diff)
	}
	packages := []Package{
		{ID: "PKG-01", Name: "Deck | Rail", Description: "What one walks on.", Line: 15}, {ID: "PKG-02", Name: "Survey", Description: "What there is.", Line: 16},
	}
	if diff := cmp.Diff(packages, d.Packages); diff != "" {
		t.Error(diff)
	}
	if got := d.Project(); got != "A bridge" {
		t.Errorf("the project is called %q", got)
	}
	found(t, d, "23 DECOMPOSITION_UNKNOWN_ITEM")
}

func TestShortNamesInIDs(t *testing.T) {
	t.Parallel()
	d := Parse("d.md", []byte(`# Bridge
#### PKG-001 — Deck (60'×100')

| DeliverableID | Name | ResponsibleParty |
| --- | --- | --- |
| DEL-01-01_Deck-Levels | Levels of the deck | Surveyor |
| DEL-001-02_Rail | | Smith |
`))
	want := []Deliverable{
		{ID: "DEL-001-02", Name: "Rail", Short: true, Package: "PKG-001", Responsible: "Smith", Line: 7},
		{ID: "DEL-01-01", Name: "Levels of the deck", Package: "PKG-001", Responsible: "Surveyor", Line: 6},
	}
	if diff := cmp.Diff(want, d.Deliverables); diff != "" {
		t.Error(diff)
	}
	if _, ok := d.Deliverable("DEL-001-01"); !ok {
		t.Error("DEL-001-01 is not found under another number of digits")
	}
	if p, ok := d.Package("PKG-01"); !ok || p.Name != "Deck (60'×100')" {
		t.Errorf("PKG-01 is %+v", p)
	}
	found(t, d)
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	d := Parse("d.md", []byte(`# Bridge
### PKG-001 -- Deck
**Goal:** What one walks on.

### PKG-001: Deck

#### DEL-01-01_DeckLevels
- **Package:** PKG-001
- **Type:** Survey / Table
- **Description:** The levels,
  all of them.
- **Responsible Party:** Surveyor
- **Acceptance Criteria:**
  - Dry at high water
  - Nowhere
    too steep
- **Anticipated Artifacts:** Table; drawing

Prose that belongs to no label.

- **Covers Scope Items:** SOW-0001, SOW-0002

#### DEL-01-02: Rail

A rail on both sides.

##### Artifacts
1. Drawing
2. Register

## Notes on DEL-01-02 — nothing
`))
	want := []Deliverable{
		{ID: "DEL-01-01", Name: "DeckLevels", Short: true, Package: "PKG-001", Type: "Survey / Table", Responsible: "Surveyor",
			Description: "The levels, all of them.", Acceptance: []string{"Dry at high water", "Nowhere too steep"},
			Artifacts: []string{"Table", "drawing"}, ScopeItems: []string{"SOW-0001", "SOW-0002"}, Line: 7},
		{ID: "DEL-01-02", Name: "Rail", Package: "PKG-001", Description: "A rail on both sides.", Artifacts: []string{"Drawing", "Register"}, Line: 23},
	}
	if diff := cmp.Diff(want, d.Deliverables); diff != "" {
		t.Error(diff)
	}
	if d.Packages[0].Description != "What one walks on." {
		t.Errorf("the package is %+v", d.Packages[0])
	}
	found(t, d)
}

// What is at odds is said, with its line, and nothing is guessed.
func TestFindings(t *testing.T) {
	t.Parallel()
	const packages = "# P\n### PKG-01 — One\n### PKG-02 — Two\n## All\n"
	head := packages + "| DeliverableID | PackageID | Name | Type |\n|---|---|---|---|\n"
	ok := "| DEL-01-01 | PKG-01 | A | X |\n| DEL-02-01 | PKG-02 | B | X |\n"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"clean", head + ok, nil},
		{"empty", "", []string{"0 DECOMPOSITION_NO_PACKAGES", "0 DECOMPOSITION_NO_DELIVERABLES"}},
		{"not text", head + ok + "\x00", []string{"0 DECOMPOSITION_NOT_TEXT"}},
		{"not UTF-8", head + ok + "\xff", []string{"0 DECOMPOSITION_NOT_TEXT"}},
		{"same id, other name", head + ok + "| DEL-01-01 | PKG-01 | Other | X |\n", []string{"9 DECOMPOSITION_DUPLICATE_ID"}},
		{"same id, other digits", head + ok + "| DEL-001-01 | PKG-01 | Other | X |\n", []string{"9 DECOMPOSITION_DUPLICATE_ID"}},
		{"restated", head + ok + "| DEL-01-01 | PKG-01 | A | Y |\n", []string{"9 DECOMPOSITION_RESTATED"}},
		{"restated alike", head + ok + "| DEL-01-01 | PKG-01 |  A | X |\n", nil},
		{"another package than its number's", head + ok + "| DEL-02-02 | PKG-01 | C | X |\n", nil},
		{"two packages", head + ok + "| DEL-02-02 | PKG-01, PKG-02 | C | X |\n", []string{"9 DECOMPOSITION_PACKAGE_UNCLEAR"}},
		{"a package that nobody knows", head + ok + "| DEL-02-02 | the second | C | X |\n", []string{"9 DECOMPOSITION_PACKAGE_UNCLEAR"}},
		{"packages that differ", head + ok + "| DEL-01-01 | PKG-02 | A | X |\n", []string{"9 DECOMPOSITION_RESTATED"}},
		{"package undefined", head + ok + "| DEL-03-01 | PKG-03 | C | X |\n", []string{"9 DECOMPOSITION_NO_PACKAGE"}},
		{"no package of that number", head + ok + "| DEL-04-01 |  | C | X |\n", []string{"9 DECOMPOSITION_NO_PACKAGE"}},
		{"malformed", head + ok + "| DEL-1-2 |  | C | X |\n| DEL-01-02 | PKG-1 | D | X |\n",
			[]string{"9 DECOMPOSITION_ID_MALFORMED", "10 DECOMPOSITION_ID_MALFORMED"}},
		{"malformed heading", head + ok + "#### PKG-1234 — Many\n", []string{"9 DECOMPOSITION_ID_MALFORMED"}},
		{"no name", head + ok + "| DEL-01-02 | PKG-01 |  | X |\n", []string{"9 DECOMPOSITION_NO_NAME"}},
		{"slipped cells", head + ok + "| DEL-01-02 | PKG-01 | C | X | Y |\n", []string{"9 DECOMPOSITION_ROW_CELLS"}},
		{"empty package", head + ok + "\n### PKG-03 — Three\n", []string{"10 DECOMPOSITION_EMPTY_PACKAGE"}},
		{"in another package's section", head + ok + "\n### PKG-01 — One\n\n| ID | Deliverable |\n|---|---|\n| DEL-02-02 | C |\n",
			[]string{"14 DECOMPOSITION_MISPLACED"}},
		{"after the section", head + ok + "\n### PKG-01 — One\n### Amendment\n\n| ID | Deliverable |\n|---|---|\n| DEL-02-02 | C |\n", nil},
		{"gone", head + ok + "\n## Removed deliverables\n| ID | Name |\n|---|---|\n| DEL-02-09 | C |\n", []string{"13 DECOMPOSITION_RETIRED"}},
		{"only mentioned", head + ok + "See DEL-01-07, DEL-01-07 and DEL-01-0712.\n```\nDEL-01-08\n```\n", []string{"9 DECOMPOSITION_UNDEFINED"}},
		{"a long range", head + "| DEL-01-01 | PKG-01 | A | X |\n\n| DeliverableID | PackageID | Name | CoversScopeItems |\n|---|---|---|---|\n| DEL-02-01 | PKG-02 | B | SOW-1 to SOW-99999 |\n| DEL-02-02 | PKG-02 | C | SOW-2 to SOW-99999 |\n",
			[]string{"11 DECOMPOSITION_RANGES"}},
		{"in a comment", head + ok + "\n<!-- once:\n### PKG-03 — Three\n| DeliverableID | Name |\n|---|---|\n| DEL-03-01 | C |\n-->\n", nil},
		{"counts", head + ok + "- **PackageCount:** 2\n- **DeliverableCount:** 38 (37 active)\n", []string{"10 DECOMPOSITION_COUNT"}},
		{"crosswalk", head + ok + "\n| v1 DEL ID | v2 DEL ID | Change |\n|---|---|---|\n| DEL-01-01 | DEL-02-01 | moved |\n", nil},
		{"crosswalk from what is gone", head + ok + "\n| v1 DEL ID | v2 DEL ID |\n|---|---|\n| DEL-04-01 | DEL-02-01 |\n| DEL-01-01 | DEL-02-02 |\n", []string{"13 DECOMPOSITION_UNDEFINED"}},
		{"former ids", head + ok + "\n| ID now | Previous ID |\n|---|---|\n| DEL-02-01 | DEL-04-01 |\n| DEL-02-02 | DEL-01-01 |\n", []string{"13 DECOMPOSITION_UNDEFINED"}},
		{"ledger", head + ok + "\n| ScopeItemID | PackageID | DeliverableID(s) |\n|---|---|---|\n| SOW-001 | PKG-01 | DEL-01-01, DEL-02-01 |\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found(t, Parse("d.md", []byte(c.text)), c.want...)
		})
	}
}

// found compares a document's findings, each as "LINE CODE".
func found(t *testing.T, d *Document, want ...string) {
	t.Helper()
	var got []string
	for _, f := range d.Findings {
		got = append(got, fmt.Sprintf("%d %s", f.Line, f.Code))
		if f.Fix == "" || f.Path != "d.md" {
			t.Errorf("%+v lacks its path or fix", f)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The documents of real projects, number for number, with everything that is
// found wrong in them.
func TestCorpora(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	for _, c := range []struct {
		root                   string
		packages, deliverables int
		found                  map[string]int
	}{
		{"chirality-app", 8, 37, map[string]int{"DECOMPOSITION_RESTATED": 1}},
		{"psb-6a", 6, 31, nil},
		{"proposal-6b", 10, 40, map[string]int{"DECOMPOSITION_COUNT": 1}},
	} {
		files, err := filepath.Glob(filepath.Join(corpora, c.root, "_Decomposition", "*.md"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s has %d decompositions, %v", c.root, len(files), err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		d := Parse("d.md", data)
		if len(d.Packages) != c.packages || len(d.Deliverables) != c.deliverables {
			t.Errorf("%s: %d packages and %d deliverables", c.root, len(d.Packages), len(d.Deliverables))
		}
		got := map[string]int(nil)
		for _, f := range d.Findings {
			if got == nil {
				got = map[string]int{}
			}
			got[f.Code]++
		}
		if diff := cmp.Diff(c.found, got); diff != "" {
			t.Errorf("%s: %s", c.root, diff)
		}
		folders, err := filepath.Glob(filepath.Join(corpora, c.root, "PKG-*", "1_Working", "DEL-*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(folders) != c.deliverables {
			t.Errorf("%s: %d folders", c.root, len(folders))
		}
		for _, f := range folders { // what people made of the document agrees
			id := layout.ParseName(filepath.Base(f)).ID
			pkg := layout.ParseName(filepath.Base(filepath.Dir(filepath.Dir(f)))).ID
			if del, ok := d.Deliverable(id); !ok || del.Package != pkg || del.ID != id {
				t.Errorf("%s: %s is in %s; the document files it under %q", c.root, id, pkg, del.Package)
			}
		}
	}
}

// FuzzParse holds the parser to what others rely on: whatever it finds is in
// the text where it says, no id is there twice, and a deliverable that is filed
// has a package that is defined.
func FuzzParse(f *testing.F) {
	f.Add([]byte("# P\n### PKG-01 — One\n| DeliverableID | Name |\n|---|---|\n| DEL-01-01 | A |\n"))
	f.Add([]byte("### PKG-001 -- X\n#### DEL-01-01_Short\n- **Type:** T\n  more\n- **Anticipated Artifacts:**\n  - a\n"))
	f.Add([]byte("\ufeff# P\r\n## PKG-01: X\r\n## DEL-01-01 Y\r\ntext SOW-01–SOW-99\r\n"))
	f.Add([]byte("| PackageID | DeliverableID | Name |\n|-|-|-|\n| PKG-00 | DEL-000-00 | \\| |\n|DEL-1|\n## Removed\n|ID|Name|\n|-|-|\n|DEL-01-01|x|"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip()
		}
		d := Parse("d.md", data)
		// Lines end as package document says.
		lines := strings.FieldsFunc(strings.NewReplacer("\r\n", "\x00\n", "\r", "\x00\n", "\n", "\x00\n").Replace(string(data)), func(r rune) bool { return r == '\n' })
		stands := func(id string, line int) {
			if line < 1 || line > len(lines) || !strings.Contains(lines[line-1], id) {
				t.Errorf("%s does not stand in line %d", id, line)
			}
		}
		seen := map[string]bool{}
		once := func(id string) {
			if seen[layout.Number(id)] {
				t.Errorf("%s is there twice", id)
			}
			seen[layout.Number(id)] = true
		}
		for _, p := range d.Packages {
			stands(p.ID, p.Line)
			once(p.ID)
			if !layout.IsPackageID(p.ID) {
				t.Errorf("%q is no id", p.ID)
			}
		}
		for _, del := range d.Deliverables {
			stands(del.ID, del.Line)
			once(del.ID)
			if _, ok := d.Package(del.Package); !layout.IsDeliverableID(del.ID) || del.Package != "" && !ok {
				t.Errorf("%q is filed under %q", del.ID, del.Package)
			}
			if strings.ContainsAny(del.Name+del.Type+strings.Join(del.Artifacts, ""), "\r\n") {
				t.Errorf("%q has a line break in what is one line", del.ID)
			}
		}
		for _, f := range d.Findings {
			if f.Line < 0 || f.Line > len(lines) {
				t.Errorf("%+v is beyond the end", f)
			}
		}
	})
}

// Documents that are made to be slow are read in time that grows with their size.
func TestHostile(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	const head = "### PKG-01 — P\n| DeliverableID | Name | Description | CoversScopeItems |\n|---|---|---|---|\n"
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, text := range map[string]string{
		"a long list":         "### PKG-01 — P\n#### DEL-01-01 — D\n- **Acceptance:**\n" + fill("  - x\n"),
		"a long text":         "### PKG-01 — P\n#### DEL-01-01 — D\n" + fill("x\n\n"),
		"many columns":        "| DeliverableID |" + strings.Repeat("N|", size/4) + "\n|" + strings.Repeat("-|", size/4+1) + "\n" + strings.Repeat("|DEL-01-01|\n", size/24),
		"one id":              head + "| DEL-01-01 | A | " + strings.Repeat("x", size/2) + " | |\n" + strings.Repeat("| DEL-01-01 | B | x | |\n", size/64),
		"ranges":              head + "| DEL-01-01 | A | | " + fill("SOW-1–SOW-999999 ") + " |\n",
		"headings":            fill("### PKG-01 — P\n#### DEL-01-01 — D\n##### x\n"),
		"deep":                "# DEL-01-01 — D\n" + fill("## x\n### y\n"),
		"marks":               "### PKG-01 — " + fill("**`*`") + "\n",
		"pipes":               head + fill("|"),
		"an unterminated row": head + "| DEL-01-01 " + fill(`\|`),
		"fences":              fill("```\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			d := Parse("d.md", []byte(text))
			if took := time.Since(began); took > time.Minute { // with the race detector, on a busy machine
				t.Errorf("it took %v", took)
			}
			if len(d.Findings) > maxFindings+1 {
				t.Errorf("it has %d findings", len(d.Findings))
			}
		})
	}
}

func TestSameText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"", "", true}, {"a b", " a\n b ", true}, {"a", "a b", false}, {"ab", "a b", false}, {"a ", "a", true}, {"a b", "a c", false}, {"", " ", true}, {"a", "", false},
	} {
		if got := sameText(c.a, c.b); got != c.same || sameText(c.b, c.a) != c.same {
			t.Errorf("sameText(%q, %q) is %v", c.a, c.b, got)
		}
	}
}
