package app

import (
	"context"
	"os"
	"runtime/debug"
	"time"
)

// The values of GOGC: a server keeps its memory small, and a command that looks at a
// whole project takes memory instead of time.
const (
	serverGOGC  = 40
	commandGOGC = 150
)

// setGOGC sets how much garbage may pile up, in percent of the memory in use. An
// operator's own GOGC or GOMEMLIMIT is left alone.
func setGOGC(percent int) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(percent)
	}
}

// CollectLess lets a command that looks at a whole project and then ends collect
// garbage less often.
func CollectLess() { setGOGC(commandGOGC) }

// freeMemoryEvery is how often a server that does nothing gives memory back.
const freeMemoryEvery = time.Minute

// freeWhenIdle gives memory back to the system once the server has started and in each minute
// without work, until ctx ends. By itself the runtime gives back slowly, and not before its next
// collection, and the kernel leaves the pages of the program that only the start used.
func (a *App) freeWhenIdle(ctx context.Context) {
	tick := time.NewTicker(freeMemoryEvery)
	defer tick.Stop()
	a.freeProgram()
	for seen := int64(-1); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if n := a.appends.Load(); n != seen {
			seen = n
		} else {
			debug.FreeOSMemory()
			a.freeProgram()
		}
	}
}

func (a *App) freeProgram() {
	if err := releaseProgram(); err != nil {
		a.log.Debug("pages of the program stay in memory", "error", err)
	}
}
