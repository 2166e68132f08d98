package app

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGarbagePercent(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{
		0:         garbageAtFirst,
		1 << 20:   garbageMost,
		12 << 20:  300,
		24 << 20:  100,
		48 << 20:  25,
		800 << 20: garbageLeast,
	} {
		if got := garbagePercent(live); got != want {
			t.Errorf("garbagePercent(%d) = %d, want %d", live, got, want)
		}
	}
}

// The process has one GOGC, so this test runs alone.
func TestPaceCollector(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	restore := paceCollector()
	held := make([]byte, 256<<20)
	deadline := time.Now().Add(10 * time.Second)
	for current() != garbageLeast {
		if time.Now().After(deadline) {
			t.Fatalf("with %d bytes in use GOGC is %d, want %d", len(held), current(), garbageLeast)
		}
		runtime.GC()
	}
	runtime.KeepAlive(held)
	restore()
	if got := current(); got != 100 {
		t.Errorf("restored GOGC is %d, want 100", got)
	}

	debug.SetGCPercent(70)
	defer paceCollector()()
	if got := current(); got != 70 {
		t.Errorf("an operator's GOGC of 70 became %d", got)
	}
}

// current is GOGC as it is set.
func current() int {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent
}
