package app

import (
	"runtime"
	"testing"
)

// The process has one GOMAXPROCS, so this test runs alone.
func TestWiden(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	restore := widen()
	if got := runtime.GOMAXPROCS(0); got != processorsEach*before {
		t.Errorf("a server has %d processors, want %d", got, processorsEach*before)
	}
	restore()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("restored are %d processors, want %d", got, before)
	}
	t.Setenv("GOMAXPROCS", "3")
	defer widen()()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("an operator's choice became %d", got)
	}
}
