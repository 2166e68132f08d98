package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var testRules = []Rule{{Code: "ROOT", Severity: Error}, {Code: "NAME", Severity: Warning}, {Code: "ROW", Severity: Error}}

func TestFilter(t *testing.T) {
	t.Parallel()
	all := []Finding{
		testRules[0].At("", 0, "the root"),
		testRules[1].At("PKG-01_A", 0, "a package"),
		testRules[1].At("PKG-01_A/1_Working/DEL-01-02_B", 0, "a deliverable"),
		testRules[2].At("PKG-01_A/1_Working/DEL-01-02_B/x.md", 3, "a file").Of("DEL-09-09"),
		testRules[2].At("PKG-01_A/1_Working/DEL-02-01_C/x.md", 3, "a deliverable of another number"),
		testRules[1].At("_Decomposition/plan.md", 7, "one without a folder").Of("DEL-001-03").About("PKG-001"),
		testRules[1].At("_Decomposition/plan.md", 8, "a package without a folder").Of("PKG-04"),
	}
	for want, from := range map[string][3]string{
		"0 1 2 3 4 5 6": {},
		"2 3":           {"DEL-001-02"},
		"2 3 5":         {"DEL-01-02,DEL-01-03"},
		"1 2 3 4 5":     {"", "PKG-001"},
		"6":             {"", "PKG-004"},
		"4":             {"DEL-02-01", "PKG-01"},
		"":              {"DEL-02-01", "PKG-02"},
		"0 3 4":         {"", "", "row,ROOT"},
		"3":             {"DEL-01-02", "", "ROW"},
	} {
		var lists [3][]string
		for i, s := range from {
			if s != "" {
				lists[i] = strings.Split(s, ",")
			}
		}
		f, err := NewFilter(lists[0], lists[1], lists[2], testRules)
		if err != nil {
			t.Fatal(err)
		}
		if f != nil {
			f = f.Selecting(byIDs(lists[0]), byIDs(lists[1]))
		}
		var got []string
		for i := range all {
			if f.Keeps(&all[i]) {
				got = append(got, fmt.Sprint(i))
			}
			// What may be selected of a folder is looked for in it.
			if f.Keeps(&all[i]) && strings.HasPrefix(all[i].Path, "PKG-") && !f.Enters(all[i].Path) {
				t.Errorf("%v does not enter %s", from, all[i].Path)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v selects %v, want %s", from, got, want)
		}
		if n := len(f.Select(slices.Clone(all))); n != len(got) {
			t.Errorf("%v: Select gives %d of %d", from, n, len(got))
		}
	}
	if _, err := NewFilter(nil, nil, []string{"ROWS"}, testRules); err == nil || !strings.Contains(err.Error(), `"ROWS"; the nearest is ROW`) {
		t.Errorf("a code that no rule has: %v", err)
	}
	if _, err := NewFilter(nil, nil, make([]string, maxFilter+1), testRules); err == nil {
		t.Error("there is no bound")
	}
}

func byIDs(ids []string) (all []Selected) {
	for _, id := range ids {
		all = append(all, Selected{Name: id, ID: id})
	}
	return all
}

// TestFilterFolders: of two folders with one id only the one that is selected counts.
func TestFilterFolders(t *testing.T) {
	t.Parallel()
	f := (&Filter{}).Selecting([]Selected{{Name: "PKG-01_A::DEL-01-02", ID: "DEL-01-02", Folders: []string{"PKG-01_A/1_Working/DEL-01-02_B"}}}, nil)
	for at, want := range map[string]bool{
		"PKG-01_A/1_Working/DEL-01-02_B": true, "PKG-01_A/1_Working/DEL-01-02_B/x.md": true,
		"PKG-02_C/1_Working/DEL-01-02_B/x.md": false, "PKG-01_A/1_Working/DEL-01-02_Bx/x.md": false,
	} {
		x := testRules[2].At(at, 1, "a row")
		if f.Keeps(&x) != want || f.Enters(at) != want {
			t.Errorf("%s: %v, %v, want %v", at, f.Keeps(&x), f.Enters(at), want)
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	file := func(i int) string { return fmt.Sprintf("PKG-%02d_A/1_Working/DEL-%02d-01_B/x.md", i/50+1, i+1) }
	few, all := NewDigest(2), NewDigest(0)
	for i := 99; i >= 0; i-- {
		one := []Finding{testRules[2].At(file(i), 2, "b"), testRules[2].At(file(i), 1, "a")}
		if i%3 == 0 {
			f := testRules[1].At(file(i), 0, "name").WithFix("do %d", i)
			f.Remedy = Remedy{Command: "name"}
			one = append(one, f)
		}
		few.Add(one)
		all.Add(one)
	}
	few.Add([]Finding{testRules[0].At("", 0, "root")})
	var got []string
	for _, g := range few.Groups(testRules) {
		got = append(got, fmt.Sprintf("%s %s %d in %d", g.Severity, g.Code, g.Count, g.Files))
		for _, f := range g.Shown {
			got = append(got, fmt.Sprintf("%s:%d %s", f.Path, f.Line, g.Fix))
		}
	}
	want := []string{
		"error ROOT 1 in 1", ":0 ",
		"error ROW 200 in 100", file(0) + ":1 ", file(0) + ":2 ",
		"warning NAME 34 in 34", file(0) + ":0 ", file(3) + ":0 ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if e, w := few.Count(); e != 201 || w != 34 {
		t.Errorf("%d errors, %d warnings", e, w)
	}
	if r, n := few.Remedies(); len(r) != 1 || r[0] != (Remedy{Command: "name"}) || n[r[0]] != 34 {
		t.Errorf("remedies %v for %v", r, n)
	}
	if few.Packages() != 3 {
		t.Errorf("%d packages", few.Packages())
	}
	if g := all.Groups(testRules)[0].Shown; len(g) != 200 || g[0].Path != file(0) || g[0].Line != 1 {
		t.Errorf("not all: %d", len(g))
	}
}
