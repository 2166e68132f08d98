package app

import (
	"runtime/debug"
	"testing"
)

// The process has one GOGC, so this test runs alone.
func TestSetGOGC(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	setGOGC(50)
	if got := debug.SetGCPercent(100); got != 50 {
		t.Errorf("GOGC is %d, want 50", got)
	}
	t.Setenv("GOGC", "100")
	setGOGC(50)
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("an operator's GOGC of 100 became %d", got)
	}
}
