package index

import (
	"context"
	"errors"
	"testing"

	"belay/internal/crash"
)

// A panic while a project is looked at is an error for who asked, and the next question is
// answered.
func TestPanicWhileLooking(t *testing.T) {
	t.Parallel()
	looks := 0
	set := newSet(t, Options{Settle: func(context.Context, string) error {
		if looks++; looks == 1 {
			panic("burst")
		}
		return nil
	}})
	root := t.TempDir()
	var e *crash.Error
	if _, err := set.Current(t.Context(), root); !errors.As(err, &e) || e.Value != "burst" {
		t.Errorf("the panic became %v", err)
	}
	if _, err := set.Current(t.Context(), root); err != nil {
		t.Errorf("then: %v", err)
	}
}
