package app

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// restEvery is how often a server looks whether it has come to rest.
const restEvery = 15 * time.Second

// thrift keeps a server's memory near what it needs, until ctx ends: the more is
// in use, the earlier garbage is collected, and what a load took goes back to the
// system once the load is over and its sessions have left memory. By itself the
// runtime gives back slowly, and not before its next collection, which an idle
// server puts off.
func (a *App) thrift(ctx context.Context) {
	defer paceCollector()()
	// A session leaves memory up to a quarter of its idle time late.
	rest := a.Config.Session.IdleClose*5/4 + restEvery
	tick := time.NewTicker(restEvery)
	defer tick.Stop()
	for seen, quiet := int64(0), time.Duration(0); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		switch n := a.appends.Load(); {
		case n != seen:
			seen, quiet = n, 0
		case seen > 0 && quiet < rest: // once after every load
			if quiet += restEvery; quiet >= rest {
				debug.FreeOSMemory()
			}
		}
	}
}

// How much garbage may pile up before it is collected. The runtime's default, as
// much as is in use, makes a small heap collect often and a large one collect
// late. Here a heap may fill heapBytes before anything is collected, and what is
// in use beyond that leaves room for garbageBytes.
const (
	heapBytes      = 48 << 20
	garbageBytes   = 12 << 20
	garbageLeast   = 15 // percent of what is in use: or a large heap does nothing else
	garbageMost    = 400
	garbageAtFirst = 50
)

// garbagePercent is the runtime's GOGC for a heap of which live bytes are in use.
func garbagePercent(live uint64) int {
	if live == 0 {
		return garbageAtFirst
	}
	room := max(heapBytes, live+garbageBytes) - live
	return int(min(max(100*room/live, garbageLeast), garbageMost))
}

// paceCollector sets GOGC anew after every collection, until the returned
// function is called, which restores what was set before. An operator's own GOGC
// is left alone.
func paceCollector() (restore func()) {
	const runtimeDefault = 100
	before := debug.SetGCPercent(garbageAtFirst)
	if before != runtimeDefault {
		debug.SetGCPercent(before)
		return func() {}
	}
	p := &pacer{percent: garbageAtFirst}
	p.afterNext()
	return func() {
		p.stopped.Store(true)
		debug.SetGCPercent(before)
	}
}

// pacer follows the collector: it leaves a piece of garbage, and is called when
// that was collected.
type pacer struct {
	stopped atomic.Bool
	percent int
}

// garbage is what a pacer leaves; it holds a pointer, so that it is not packed
// into one block with others.
type garbage struct{ _ *garbage }

func (p *pacer) afterNext() { runtime.AddCleanup(new(garbage), (*pacer).collected, p) }

func (p *pacer) collected() {
	if p.stopped.Load() {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if percent := garbagePercent(live[0].Value.Uint64()); percent != p.percent {
		p.percent = percent
		debug.SetGCPercent(percent)
	}
	p.afterNext()
}
