package app

import (
	"context"
	"runtime/debug"
	"time"
)

// gcPercent is how much garbage may pile up before it is collected, as a part of
// what is in use. Half of the runtime's default: a burst of turns then takes a
// third less memory, for a few percent of the processor.
const gcPercent = 50

// restEvery is how often a server looks whether it has come to rest.
const restEvery = 15 * time.Second

// thrift keeps a server's memory near what it needs, until ctx ends: garbage is
// collected early, and what a load took goes back to the system once the load is
// over and its sessions have left memory. By itself the runtime gives back
// slowly, and not before its next collection, which an idle server puts off.
func (a *App) thrift(ctx context.Context) {
	const runtimeDefault = 100
	if before := debug.SetGCPercent(gcPercent); before != runtimeDefault {
		debug.SetGCPercent(before) // the operator's own GOGC
	} else {
		defer debug.SetGCPercent(before)
	}
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
