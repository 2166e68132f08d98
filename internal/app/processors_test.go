package app

import (
	"runtime"
	"testing"
)

// The process has one GOMAXPROCS, so this test runs alone.
func TestAddProcessors(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	restore := addProcessors()
	if got := runtime.GOMAXPROCS(0); got != processorsEach*before {
		t.Errorf("a server has %d processors, want %d", got, processorsEach*before)
	}
	restore()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("restored are %d processors, want %d", got, before)
	}
	t.Setenv("GOMAXPROCS", "3")
	defer addProcessors()()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("an operator's choice became %d", got)
	}
}
