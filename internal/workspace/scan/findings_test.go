package scan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of more findings than are listed, the first by path are, whichever goroutine found them,
// and the last one counts the others.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	const folders, each = 50, 500
	var names []string
	for n := range folders {
		for k := range each {
			names = append(names, fmt.Sprintf("f%02d/.tmp-%03d", n, k))
		}
	}
	root := tree(t, names...)
	first, err := Scan(t.Context(), root, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(first.Findings); n != maxFindings+1 || first.MoreFindings != folders*each-maxFindings {
		t.Fatalf("%d findings, %d more", n, first.MoreFindings)
	}
	last := first.Findings[maxFindings]
	if want := fmt.Sprintf("%d more findings are not listed", folders*each-maxFindings); last.Code != ruleMore.Code || last.Message != want {
		t.Errorf("the last finding is %+v", last)
	}
	for i, f := range first.Findings[:maxFindings] {
		if f.Path != names[i] {
			t.Fatalf("finding %d is of %s, want %s", i, f.Path, names[i])
		}
	}
	again, err := Scan(t.Context(), root, Options{Workers: 8})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first.Findings, again.Findings) {
		t.Error("two looks at one root find different things")
	}
	part, err := Under(t.Context(), root, "f00", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.Findings[maxFindings], first.Replace(map[string]*Result{"f00": part}).Findings[maxFindings]); diff != "" {
		t.Errorf("after a look at one folder: %s", diff)
	}
}

// A goroutine that finds very many keeps few of them.
func TestFirstFindings(t *testing.T) {
	t.Parallel()
	var f firstFindings
	const n = 5 * maxFindings
	for i := range n {
		f.add(ruleUnfinished.At(fmt.Sprintf("%06d", n-i), 0, "x"))
		if len(f.all) >= 2*maxFindings {
			t.Fatalf("%d findings are kept", len(f.all))
		}
	}
	f.cut()
	if f.more != n-maxFindings || f.all[0].Path != "000001" || f.all[maxFindings-1].Path != fmt.Sprintf("%06d", maxFindings) {
		t.Errorf("%d more, from %s to %s", f.more, f.all[0].Path, f.all[len(f.all)-1].Path)
	}
}
