package app

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// restEvery is how often a server looks whether it has come to rest.
const restEvery = 15 * time.Second

// thrift keeps a server's memory near what it needs, until ctx ends: the more is
// in use, the earlier garbage is collected, and what a load took goes back to the
// system once the load is over and its sessions have left memory, as does what the
// upkeep of an idle server leaves. By itself the runtime gives back slowly, and not
// before its next collection, which an idle server puts off.
func (a *App) thrift(ctx context.Context) {
	defer paceCollector()()
	// A session leaves memory up to a quarter of its idle time late.
	rest := a.Config.Session.IdleClose*5/4 + restEvery
	tick := time.NewTicker(restEvery)
	defer tick.Stop()
	r := resting{after: rest}
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if r.collects(a.appends.Load(), heapBytes()) {
			debug.FreeOSMemory()
			r.kept = heapBytes()
		}
	}
}

// resting decides when a server that does nothing collects its garbage; it is asked
// every restEvery.
type resting struct {
	after time.Duration // without work
	seen  int64
	quiet time.Duration
	kept  uint64 // the heap after the last collection, 0 for none since there was work
}

// upkeepBytes is how much garbage an idle server may hold.
const upkeepBytes = 4 << 20

// collects takes how often the server has written so far and what its heap holds,
// garbage included.
func (r *resting) collects(writes int64, heap uint64) bool {
	if writes != r.seen {
		r.seen, r.quiet, r.kept = writes, 0, 0
		return false
	}
	if r.quiet < r.after {
		r.quiet += restEvery
	}
	return r.quiet >= r.after && heap > r.kept+upkeepBytes
}

// heapBytes is what the heap holds, garbage included.
func heapBytes() uint64 {
	held := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(held)
	return held[0].Value.Uint64()
}

// How much garbage may pile up before it is collected. The runtime's default, as
// much as is in use, makes a small heap collect often and a large one collect
// late. Here a heap may grow to roomBytes, stacks included, before anything is
// collected; should the process as a whole grow past limitBytes meanwhile, it is
// collected at once. A heap that uses more than smallBytes has room for a quarter
// of what it uses, without the stacks: many of these are a burst of turns, whose
// memory counts. Sessions with long histories have few, and each collection looks
// at all of their histories.
const (
	smallBytes     = 80 << 20
	roomBytes      = 90 << 20
	limitBytes     = 102 << 20
	garbageBytes   = 8 << 20
	garbagePart    = 4
	garbageLeast   = 9 // percent of what is in use: or a large heap does nothing else
	garbageMost    = 400
	garbageAtFirst = 50
)

// pace is what the runtime is told: GOGC and the memory limit.
type pace struct {
	percent int
	limit   int64
}

// paceFor is the pace for a heap of which live bytes are in use, beside stacks of
// that size.
func paceFor(live, stacks uint64) pace {
	used := live + stacks
	room, limit := max(live/garbagePart, stacks+garbageBytes)-stacks, int64(math.MaxInt64)
	if used < smallBytes {
		room, limit = max(room, roomBytes-used), limitBytes
	}
	return pace{int(min(max(100*room/max(used, 1), garbageLeast), garbageMost)), limit}
}

// paceCollector sets the pace anew after every collection, until the returned
// function is called, which restores what was set before. An operator's own GOGC
// or GOMEMLIMIT is left alone.
func paceCollector() (restore func()) {
	return (&pacer{pace: pace{garbageAtFirst, math.MaxInt64}, next: paceFor}).begin()
}

// hasteBytes is how large the process of a command may grow before garbage is
// collected.
const hasteBytes = 192 << 20

// Hasten lets a command that looks at a whole project and ends soon take memory
// instead of time, until the returned function is called: nothing is collected
// before the process has hasteBytes, and less often than usual after it. An
// operator's own GOGC or GOMEMLIMIT is left alone.
func Hasten() (restore func()) {
	return (&pacer{pace: pace{-1, hasteBytes}, next: hastyPace}).begin()
}

// hastyPace is that of a command whose heap has live bytes in use.
func hastyPace(live, stacks uint64) pace {
	used := live + stacks
	percent := uint64(100)
	if used < hasteBytes/2 {
		percent = 100 * (hasteBytes - used) / max(used, 1<<20)
	}
	return pace{int(percent), math.MaxInt64}
}

// begin sets the first pace, and the next after every collection.
func (p *pacer) begin() (restore func()) {
	const runtimeDefault = 100
	before := pace{debug.SetGCPercent(p.pace.percent), debug.SetMemoryLimit(-1)}
	if before.percent != runtimeDefault || before.limit != math.MaxInt64 {
		debug.SetGCPercent(before.percent)
		return func() {}
	}
	debug.SetMemoryLimit(p.pace.limit)
	p.afterNext()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stopped = true
		debug.SetGCPercent(before.percent)
		debug.SetMemoryLimit(before.limit)
	}
}

// pacer follows the collector: it leaves a piece of garbage, and is called when
// that was collected.
type pacer struct {
	mu      sync.Mutex
	stopped bool
	pace    pace
	// next is the pace for so much in use.
	next func(live, stacks uint64) pace
}

// garbage is what a pacer leaves; it holds a pointer, so that it is not packed
// into one block with others.
type garbage struct{ _ *garbage }

func (p *pacer) afterNext() { runtime.AddCleanup(new(garbage), (*pacer).collected, p) }

func (p *pacer) collected() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(used)
	next := p.next(used[0].Value.Uint64(), used[1].Value.Uint64())
	if next.limit != p.pace.limit {
		debug.SetMemoryLimit(next.limit)
	}
	if next.percent != p.pace.percent {
		debug.SetGCPercent(next.percent)
	}
	p.pace = next
	p.afterNext()
}
