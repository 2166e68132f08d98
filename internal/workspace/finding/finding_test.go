package finding

import (
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
