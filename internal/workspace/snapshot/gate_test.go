package snapshot

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entered is a gate that counts who leaves it.
type entered struct {
	t    *testing.T
	root string
	left int
}

func (e *entered) enter(context.Context, string) (func(), error) {
	if got := names(e.t, e.root); !cmp.Equal(got, []string{"_Estimates"}) {
		e.t.Errorf("before the gate there are %q", got)
	}
	return func() { e.left++ }, nil
}

// Nothing is published before the gate is entered, and it is left again.
func TestGate(t *testing.T) {
	t.Parallel()
	target, o := project(t, map[string]string{"a.csv": "1\n", "parts/b.csv": "2\n"}), options(t)
	target.ToolRoot = "_Reconciliation/Coverage"
	e := &entered{t: t, root: target.Root}
	o.Gate = e.enter
	publish(t, target, o, filepath.Join(target.Root, "_Estimates"))
	if e.left != 1 {
		t.Errorf("left %d times", e.left)
	}
}

func TestGateThatIsClosed(t *testing.T) {
	t.Parallel()
	target, o := project(t, map[string]string{"a.csv": "1\n"}), options(t)
	target.ToolRoot = "_Reconciliation"
	closed := errors.New("the gate is closed")
	o.Gate = func(context.Context, string) (func(), error) { return nil, closed }
	from := Copy(t.Context(), target, o, filepath.Join(target.Root, "_Estimates"))
	if _, err := Publish(t.Context(), target, o, from); !errors.Is(err, closed) {
		t.Errorf("got %v", err)
	}
	if got := names(t, target.Root); !cmp.Equal(got, []string{"_Estimates"}) {
		t.Errorf("there are %q", got)
	}
}
