package bus

import (
	"errors"
	"strings"
	"testing"
)

// A copy that a process before this one lent is taken back, which removes it.
func TestCopyOfAnEarlierProcess(t *testing.T) {
	t.Parallel()
	o := Options{Dir: t.TempDir()}
	b, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	name := ObjectName("sess_1", strings.Repeat("0a", 32))
	if err := errors.Join(b.Lend(t.Context(), name, strings.NewReader("x")), b.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	b = openBus(t, o)
	if err := b.TakeBack(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if n, err := b.Objects(t.Context()); n != 0 || err != nil {
		t.Errorf("%d copies are left: %v", n, err)
	}
}
