package fault

import (
	"runtime"
	"testing"
)

// Problems beyond the first are counted only.
func TestProblemsTakeLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var p Problems
	for range 1_000_000 {
		p.Add("attachments[1]", "must be a string")
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 || p.Len() != 1_000_000 {
		t.Errorf("%d problems took %d bytes", p.Len(), used)
	}
}
