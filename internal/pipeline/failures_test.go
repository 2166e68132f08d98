package pipeline

import (
	"errors"
	"fmt"
	"testing"
)

// The latest failures are kept, and a batch that is continued has none.
func TestFailuresAreBounded(t *testing.T) {
	t.Parallel()
	var f failures
	at := func(i int) place { return place{"/p", fmt.Sprint(i)} }
	for i := range 2 * maxFailures {
		f.add(at(i), errors.New("no key"))
	}
	if len(f.why) != maxFailures || len(f.order) != maxFailures || f.why[at(maxFailures-1)] != nil || f.why[at(maxFailures)] == nil {
		t.Fatalf("%d are kept in an order of %d", len(f.why), len(f.order))
	}
	again := errors.New("again")
	f.add(at(maxFailures), again)
	if len(f.order) != maxFailures || f.why[at(maxFailures)] != again || f.order[maxFailures-1] != at(maxFailures) {
		t.Errorf("a batch that failed again: %v", f.why[at(maxFailures)])
	}
	f.remove(at(maxFailures))
	f.remove(at(1))
	if len(f.why) != maxFailures-1 || len(f.order) != maxFailures-1 {
		t.Errorf("%d are kept in an order of %d", len(f.why), len(f.order))
	}
}
