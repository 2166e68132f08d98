package finding

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A pile gives what it was given, in that order and sorted, whatever it holds.
func TestPile(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a/b.md", "\xff\x00", "INVALID_DATE"}))
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Finding {
			return Finding{
				Path: text.Draw(t, "path"), Severity: Severity(text.Draw(t, "severity")), Code: text.Draw(t, "code"),
				Line: rapid.Int().Draw(t, "line"), Row: rapid.IntRange(0, 9).Draw(t, "row"), Column: text.Draw(t, "column"),
				Value: text.Draw(t, "value"), Message: text.Draw(t, "message"), Fix: text.Draw(t, "fix"), Extra: rapid.Bool().Draw(t, "extra"),
			}
		})).Draw(t, "all")
		var p Pile
		p.Add(all)
		if got := slices.Collect(p.All()); p.Len() != len(all) || !slices.Equal(got, all) {
			t.Fatalf("%+v became %+v", all, got)
		}
		want := slices.Clone(all)
		Sort(want)
		if got := slices.Collect(p.Sorted()); !slices.Equal(got, want) {
			t.Fatalf("%+v sorted is %+v", all, got)
		}
	})
}

// What is much alike takes a tenth of its length at most; a reader may stop.
func TestPileIsSmall(t *testing.T) {
	t.Parallel()
	var p Pile
	rule := Rule{Code: "INVALID_DATE", Severity: Error, Fix: "write the date as YYYY-MM-DD"}
	const many = 50_000
	for i := range many {
		p.Add([]Finding{rule.At("PKG-01_A/1_Working/DEL-01-01_x/Dependencies.csv", i, "FirstSeen is no date").In(i, "FirstSeen").Of("x")})
	}
	size := cap(p.raw)
	for _, b := range p.blocks {
		size += cap(b)
	}
	if size > 16*many {
		t.Errorf("%d findings take %d bytes", many, size)
	}
	n := 0
	for f := range p.Sorted() {
		if n++; f.Line != n-1 {
			t.Fatalf("%d is at line %d", n, f.Line)
		}
		if n == many/2 {
			break
		}
	}
}
