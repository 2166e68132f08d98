package app

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestPaceFor(t *testing.T) {
	t.Parallel()
	const none = math.MaxInt64
	for _, c := range []struct {
		live, stacks uint64
		want         pace
	}{
		{0, 0, pace{garbageMost, limitBytes}},
		{1, 0, pace{garbageMost, limitBytes}},
		{28, 2, pace{200, limitBytes}},
		{43, 2, pace{100, limitBytes}},
		{76, 2, pace{21, limitBytes}},
		{80, 2, pace{21, none}},
		{60, 24, pace{9, none}},
		{100, 5, pace{19, none}},
		{60, 60, pace{garbageLeast, none}},
		{800, 40, pace{19, none}},
		{800, 200, pace{garbageLeast, none}},
	} {
		if got := paceFor(c.live<<20, c.stacks<<20); got != c.want {
			t.Errorf("paceFor(%d MiB, %d MiB) = %+v, want %+v", c.live, c.stacks, got, c.want)
		}
	}
}

// A server collects once after a load is over, and again when its upkeep has left
// something.
func TestRestingCollects(t *testing.T) {
	t.Parallel()
	r := resting{after: 3 * restEvery}
	for i, c := range []struct {
		writes int64
		heap   uint64 // in MiB
		want   bool
	}{
		{7, 90, false}, {9, 90, false}, // busy
		{9, 90, false}, {9, 90, false}, {9, 90, true}, // at rest
		{9, 11, false}, {9, 14, false}, {9, 15, true}, // upkeep
		{10, 60, false}, {10, 60, false}, {10, 60, false}, {10, 60, true},
	} {
		got := r.collects(c.writes, c.heap<<20)
		if got {
			r.kept = 10 << 20
		}
		if got != c.want {
			t.Errorf("look %d (%d writes, %d MiB): %v", i, c.writes, c.heap, got)
		}
	}
}

// The process has one GOGC, so this test runs alone.
func TestPaceCollector(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	restore := paceCollector()
	held := make([]byte, 256<<20)
	deadline := time.Now().Add(time.Minute)
	for current() > 100/garbagePart {
		if time.Now().After(deadline) {
			t.Fatalf("with %d bytes in use GOGC is %d, want %d at most", len(held), current(), 100/garbagePart)
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

// A command in haste has the room that it was given, whatever of it is in use, and
// the runtime's pace once it needs more.
func TestHastyPace(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{16 << 20: 1100, 64 << 20: 200, hasteBytes / 2: 100, 1 << 30: 100} {
		if got := hastyPace(live, 0); got.percent != want || got.limit != math.MaxInt64 {
			t.Errorf("hastyPace(%d MiB) = %+v, want %d%% and no limit", live>>20, got, want)
		}
	}
}

// The process has one GOGC, so this test runs alone.
func TestHasten(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	restore := Hasten()
	runtime.GC()
	deadline := time.Now().Add(time.Minute)
	for debug.SetMemoryLimit(-1) != math.MaxInt64 {
		if time.Now().After(deadline) {
			t.Fatal("the limit of the beginning stays after a collection")
		}
		runtime.GC()
	}
	restore()
	if got, limit := current(), debug.SetMemoryLimit(-1); got != 100 || limit != math.MaxInt64 {
		t.Errorf("restored: GOGC %d, limit %d", got, limit)
	}
}

// current is GOGC as it is set.
func current() int {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent
}
