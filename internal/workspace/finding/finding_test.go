package finding

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestFinding(t *testing.T) {
	t.Parallel()
	rule := Rule{Code: "X", Severity: Warning, Fix: "mend it", Extra: true}
	f := rule.At("a/b.md", 3, "%d wrong", 2).Of("v").In(7, "C")
	want := Finding{
		Path: "a/b.md", Severity: Warning, Code: "X", Line: 3, Row: 7, Column: "C", Value: "v", Message: "2 wrong", Fix: "mend it", Extra: true,
	}
	if f != want {
		t.Errorf("got %+v, want %+v", f, want)
	}
	if f.WithFix("do %s", "that").Fix != "do that" {
		t.Error("the fix was not replaced")
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                  "plain",
		"a\x1b[31mred\nline":     "a [31mred line",
		"\xff":                   "�",
		strings.Repeat("x", 201): strings.Repeat("x", 200) + "…",
		strings.Repeat("ä", 101): strings.Repeat("ä", 100) + "…",
	} {
		if got := Shown(in); got != want {
			t.Errorf("Shown(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSortAndCount(t *testing.T) {
	t.Parallel()
	all := []Finding{
		{Path: "b", Severity: Error}, {Path: "a", Line: 2, Severity: Warning}, {Path: "a", Line: 1, Row: 4, Severity: Error, Code: "first"},
		{Path: "a", Line: 1, Row: 4, Severity: Error, Code: "second"},
	}
	Sort(all)
	if all[0].Code != "first" || all[1].Code != "second" || all[3].Path != "b" {
		t.Errorf("sorted to %+v", all)
	}
	if errors, warnings := Count(all); errors != 3 || warnings != 1 {
		t.Errorf("counted %d errors and %d warnings", errors, warnings)
	}
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	rules := []Rule{{Code: "X", Severity: Error, Means: "It is so.", Fix: "mend it"}, {Code: "unused"}}
	all := []Finding{
		{Path: "a b/ü:#.md", Severity: Error, Code: "X", Line: 3, Message: "wrong", Fix: "do that"},
		{Severity: Warning, Code: "Y", Message: "odd"}, {Path: "c", Severity: Error, Code: "X", Message: "again"},
	}
	b, err := json.Marshal(NewSARIF("1.2", rules, all))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(string(b)), "")
	want := `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"belay","version":"1.2","rules":[` +
		`{"id":"X","shortDescription":{"text":"Itisso."},"help":{"text":"mendit"},"defaultConfiguration":{"level":"error"}},` +
		`{"id":"Y","shortDescription":{"text":"Y"},"defaultConfiguration":{"level":"warning"}}]}},"results":[` +
		`{"ruleId":"X","ruleIndex":0,"level":"error","message":{"text":"wrong.Tofixit:dothat"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a%20b/%C3%BC:%23.md"},"region":{"startLine":3}}}]},` +
		`{"ruleId":"Y","ruleIndex":1,"level":"warning","message":{"text":"odd"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"."}}}]},` +
		`{"ruleId":"X","ruleIndex":0,"level":"error","message":{"text":"again"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"c"}}}]}],"columnKind":"unicodeCodePoints"}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEmptySARIF(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(NewSARIF("1.2", nil, nil))
	if err != nil || !strings.Contains(string(b), `"results":[]`) {
		t.Errorf("%v\n%s", err, b)
	}
}

func TestTallies(t *testing.T) {
	t.Parallel()
	all := []Finding{{Code: "w", Severity: Warning}, {Code: "w", Severity: Warning}, {Code: "b", Severity: Error}, {Code: "a", Severity: Error}, {Code: "c", Severity: Error}, {Code: "c", Severity: Error}}
	want := []Tally{{"c", Error, 2}, {"a", Error, 1}, {"b", Error, 1}, {"w", Warning, 2}}
	d := NewDigest(1)
	d.Add(all)
	if got := d.Tallies(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
