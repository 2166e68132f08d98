package decomposition

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"belay/internal/workspace/layout"
)

// A deliverable's package is what its own column or label says, else the package of
// its number, else the section that it is in, in every form that documents have.
func TestPackageOf(t *testing.T) {
	t.Parallel()
	const packages = "# P\n\n| PackageID | Name |\n|---|---|\n| PKG-01 | Deck |\n| PKG-02 | Rail & post |\n\n"
	const rows = "| DeliverableID | Name |\n|---|---|\n"
	column := func(name, value string) string {
		return packages + "## All\n\n| DeliverableID | Name | " + name + " |\n|---|---|---|\n| DEL-02-07 | A | " + value + " |\n"
	}
	label := func(text string) string { return packages + "## All\n\n### DEL-02-07_A\n" + text + "\n- **Type:** X\n" }
	for name, c := range map[string]struct{ text, want, section string }{
		"a column":                        {text: column("PackageID", "PKG-01"), want: "PKG-01"},
		"a column with three digits":      {text: column("Parent Package", "**PKG-001**"), want: "PKG-01"},
		"a column with id and name":       {text: column("Package", "PKG-01 — Deck"), want: "PKG-01"},
		"a column with a folder":          {text: column("Package", "`PKG-01_Deck`"), want: "PKG-01"},
		"a column with a link":            {text: column("Package", "[PKG-01](#deck)"), want: "PKG-01"},
		"a column with the name first":    {text: column("Package", "Deck (PKG-01)"), want: "PKG-01"},
		"a column with the name":          {text: column("Work Package", "deck"), want: "PKG-01"},
		"a column of names":               {text: column("Package Name", "Deck"), want: "PKG-01"},
		"a column of numbers":             {text: column("Package No.", "1"), want: "PKG-01"},
		"a column that is open":           {text: column("PackageID", "TBD"), want: "PKG-02"},
		"a column with what nobody knows": {text: column("PackageID", "the first"), want: "PKG-02"},
		"a column with another project's": {text: column("PackageID", "PKG-09"), want: ""},
		"the package before the id":       {text: packages + "| PackageID | DeliverableID | Name |\n|---|---|---|\n| PKG-01 | DEL-02-07 | A |\n", want: "PKG-01"},
		"a label":                         {text: label("- **Package:** PKG-01"), want: "PKG-01"},
		"a label with its name":           {text: label("**Parent Package ID:** PKG-001 -- Deck"), want: "PKG-01"},
		"a label with a name":             {text: label("**Package Name:** Deck"), want: "PKG-01"},
		"a label beats the section":       {text: packages + "## PKG-02 — Rail & post\n### DEL-02-07_A\n- **Package:** PKG-01\n", want: "PKG-01"},
		"a later table":                   {text: packages + "## All\n" + rows + "| DEL-02-07 | A |\n\n| DeliverableID | PackageID | Name |\n|---|---|---|\n| DEL-02-07 | PKG-01 | A |\n", want: "PKG-01"},

		"its number":                {text: packages + rows + "| DEL-02-07 | A |\n", want: "PKG-02"},
		"its number, three digits":  {text: packages + rows + "| DEL-002-07 | A |\n", want: "PKG-02"},
		"its number in a section":   {text: packages + "## PKG-02 — Rail & post\n" + rows + "| DEL-02-07 | A |\n", want: "PKG-02"},
		"another section":           {text: packages + "## PKG-01 — Deck\n" + rows + "| DEL-02-07 | A |\n", want: "PKG-02", section: "PKG-01"},
		"another section, repeated": {text: packages + rows + "| DEL-02-07 | A |\n\n## PKG-01 — Deck\n" + rows + "| DEL-02-07 | A |\n", want: "PKG-02", section: "PKG-01"},

		"the section":                     {text: packages + "## PKG-01 — Deck\n" + rows + "| DEL-40-07 | A |\n", want: "PKG-01"},
		"the section with a number":       {text: packages + "## 4.1. PKG-01 Deck\n### 4.1.1 DEL-40-07 — A\n**Type:** X\n", want: "PKG-01"},
		"the section of a package":        {text: packages + "## Work Package PKG-01: Deck\n" + rows + "| DEL-40-07 | A |\n", want: "PKG-01"},
		"the section with the id last":    {text: packages + "## Deck [PKG-01]\n" + rows + "| DEL-40-07 | A |\n", want: "PKG-01"},
		"the section, below another head": {text: packages + "## PKG-01 — Deck\n### Deliverables\n" + rows + "| DEL-40-07 | A |\n", want: "PKG-01"},
		"the section defines the package": {text: "# P\n## PKG-07 Signs\n" + rows + "| DEL-40-07 | A |\n", want: "PKG-07"},
		"the section, in a later table":   {text: packages + rows + "| DEL-40-07 | A |\n\n## PKG-01 — Deck\n" + rows + "| DEL-40-07 | A |\n", want: "PKG-01"},
		"after the section":               {text: packages + "## PKG-01 — Deck\n## Others\n" + rows + "| DEL-40-07 | A |\n", want: ""},
		"the label defines the package":   {text: "# P\n## PKG-07 Signs\ntext\n## All\n### DEL-40-07_A\n- **Package:** PKG-07\n", want: "PKG-07"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Parse("d.md", []byte(c.text))
			if len(d.Deliverables) != 1 || d.Deliverables[0].Package != c.want || d.Deliverables[0].Section != c.section {
				t.Fatalf("%+v, want it in %q, %q", d.Deliverables, c.want, c.section)
			}
			if d.Deliverables[0].Name != "A" {
				t.Errorf("it is called %q", d.Deliverables[0].Name)
			}
			for _, f := range d.Findings {
				if f.Severity == "error" && c.want != "" {
					t.Errorf("differing numbers are an error: %+v", f)
				}
				if strings.Contains(strings.ToLower(f.Fix), "correct the id") || strings.Contains(f.Fix, "renumber") {
					t.Errorf("the fix changes an id: %+v", f)
				}
			}
			if c.want == "" {
				want := false
				for _, f := range d.Findings {
					want = want || f.Code == "DECOMPOSITION_NO_PACKAGE" && f.Severity == "error"
				}
				if !want {
					t.Errorf("it is left out without an error: %+v", d.Findings)
				}
			}
		})
	}
}

// Documents with any numbering, in any form, keep every deliverable where their
// author put it.
func TestAnyNumbering(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		text, want := generated(rand.New(rand.NewPCG(seed, 7)))
		d := Parse("d.md", []byte(text))
		if len(d.Deliverables) != len(want) {
			t.Fatalf("seed %d: %d deliverables of %d\n%s", seed, len(d.Deliverables), len(want), text)
		}
		for _, del := range d.Deliverables {
			if got := layout.Number(del.Package); got != layout.Number(want[del.ID]) {
				t.Errorf("seed %d: %s is in %s, not in %s\n%s", seed, del.ID, got, want[del.ID], text)
			}
		}
		for _, f := range d.Findings {
			if f.Severity == "error" {
				t.Errorf("seed %d: %+v\n%s", seed, f, text)
			}
		}
	}
}

// generated is a document with packages and deliverables in a form that random
// numbers choose, and the package of each deliverable. Numbers of deliverables
// follow those of packages in none of them, unless a column or label says where
// they belong.
func generated(r *rand.Rand) (text string, packages map[string]string) {
	var b strings.Builder
	packages = map[string]string{}
	wide := []string{"PKG-%02d", "PKG-%03d"}[r.IntN(2)]
	first := 1 + r.IntN(50)
	count := 1 + r.IntN(5)
	stated, form := r.IntN(2) == 0, r.IntN(4)
	b.WriteString("# Generated\n\n")
	if r.IntN(2) == 0 {
		b.WriteString("| PackageID | Name |\n|---|---|\n")
		for i := range count {
			fmt.Fprintf(&b, "| "+wide+" | Name %d |\n", first+i, i)
		}
	}
	next := 60 // beyond every package, where the section alone speaks
	if stated {
		next = first // numbers of packages, but of others
	}
	for i := range count {
		id := fmt.Sprintf(wide, first+i)
		fmt.Fprintf(&b, "\n### %s — Name %d\n\n", id, i)
		for j := range 1 + r.IntN(4) {
			del := fmt.Sprintf("DEL-%02d-%02d", next+(i+1)%count, 10*i+j)
			packages[del] = id
			switch {
			case form == 0 && stated:
				fmt.Fprintf(&b, "#### %s_Short%d\n- **Package:** %s\n- **Type:** T\n\n", del, j, id)
			case form == 0:
				fmt.Fprintf(&b, "#### %s — A name\n**Type:** T\n\n", del)
			case form == 1 && stated:
				fmt.Fprintf(&b, "| PackageID | DeliverableID | Name |\n|---|---|---|\n| %s | %s | A |\n\n", id, del)
			case form == 2 && stated:
				fmt.Fprintf(&b, "| ID | Deliverable | Type | Parent Package |\n|---|---|---|---|\n| %s_Short | A | T | Name %d |\n\n", del, i)
			case stated:
				fmt.Fprintf(&b, "| # | DeliverableID | Name | Package |\n|---|---|---|---|\n| %d | **%s** | A | %s — Name |\n\n", j, del, id)
			default:
				fmt.Fprintf(&b, "| DeliverableID | Name |\n|---|---|\n| %s | A |\n\n", del)
			}
		}
	}
	return b.String(), packages
}

// A package that is stated by its name is looked up: the names of all packages are not
// read again for each deliverable.
func TestPackagesByName(t *testing.T) { //nolint:paralleltest // it counts allocations
	document := func(deliverables int) []byte {
		var text strings.Builder
		text.WriteString("| PackageID | Name |\n|---|---|\n")
		for n := range 900 {
			fmt.Fprintf(&text, "| PKG-%03d | The Part %d |\n", n, n)
		}
		text.WriteString("\n| DeliverableID | Name | Package |\n|---|---|---|\n")
		for n := range deliverables {
			fmt.Fprintf(&text, "| DEL-%03d-%02d | D | **the part %d** |\n", n/90, n%90, n%900)
		}
		return []byte(text.String())
	}
	count := func(deliverables int) float64 {
		text := document(deliverables)
		if d := Parse("d.md", text); len(d.Deliverables) != deliverables || d.Deliverables[899].Package != "PKG-899" {
			t.Fatalf("%d deliverables, %+v", len(d.Deliverables), d.Deliverables[899])
		}
		return testing.AllocsPerRun(1, func() { Parse("d.md", text) })
	}
	few, many := count(900), count(1800)
	if each := (many - few) / 900; each > 200 {
		t.Errorf("a deliverable among 900 packages costs %.0f allocations", each)
	}
}
