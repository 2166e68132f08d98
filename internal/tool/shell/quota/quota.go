// Package quota ends a command that takes too much of the disk: one that has written
// more than it may, and one that goes on writing where little space is left. It looks
// at the disk now and then while the command runs, so a command can pass a limit for
// a moment. Only Linux reports what this package needs; elsewhere nothing is watched.
//
// Contract: architecture, "Security posture".
package quota

import (
	"context"
	"fmt"
	"sync"
	"time"

	"belay/internal/quantity"
)

// Limits bound what a command takes of the disk. 0 is no limit.
type Limits struct {
	// WriteBytes is the space that everything may take that a command has written.
	WriteBytes int64
	// FreeBytes is the space that a command leaves on the disk.
	FreeBytes int64
}

// ExceededError is the cause of the end of a command that passed a limit.
type ExceededError struct {
	// Setting is the name of the limit, Limit its value.
	Setting string
	Limit   int64
}

// The names of the limits.
const (
	SettingWrite = "bash.max_write_bytes"
	SettingFree  = "bash.min_free_bytes"
)

// Error implements error.
func (e *ExceededError) Error() string {
	if e.Setting == SettingFree {
		return fmt.Sprintf("less than %s were left on the disk (%s)", quantity.Size(e.Limit), e.Setting)
	}
	return fmt.Sprintf("it had written more than %s (%s)", quantity.Size(e.Limit), e.Setting)
}

const (
	// lookEvery is how often the disk is looked at.
	lookEvery = 250 * time.Millisecond
	// rest is how long the next look waits, as a multiple of the time of the last:
	// counting many files takes a while.
	rest = 20
	// slack is how much the free space may shrink while a command runs before the
	// command is ended for it: where the space was short before, one that writes next
	// to nothing still runs.
	slack = 16 << 20
	// clockStep is by how much the clock of a file system may be behind.
	clockStep = 20 * time.Millisecond
)

// Watch watches the disk until stop is called, and ends the context that it returns
// when a limit is passed, with an [*ExceededError] as the cause. What the command
// writes is in the folders written. The disk of the folder project is watched as
// well, but what is in it is not counted.
func (l Limits) Watch(ctx context.Context, project string, written ...string) (_ context.Context, stop func()) {
	w := newWatch(l, time.Now(), project, written)
	var looks []func(context.Context) error
	if l.FreeBytes > 0 {
		looks = append(looks, w.checkFree)
	}
	if l.WriteBytes > 0 {
		looks = append(looks, w.checkWritten)
	}
	if len(w.folders) == 0 || len(looks) == 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	for _, look := range looks {
		running.Go(func() { poll(ctx, cancel, look) })
	}
	return ctx, func() {
		cancel(nil)
		running.Wait()
	}
}

// poll looks again and again until ctx ends, and ends it with what look returns.
func poll(ctx context.Context, cancel context.CancelCauseFunc, look func(context.Context) error) {
	wait := time.NewTimer(lookEvery)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		}
		began := time.Now()
		if err := look(ctx); err != nil {
			cancel(err)
			return
		}
		wait.Reset(max(lookEvery, rest*time.Since(began)))
	}
}

// watch is one command's use of the disk.
type watch struct {
	limits  Limits
	began   time.Time
	folders []folder
	// before is what the counted folders held when the command began, nil as long as
	// nothing was counted. Only checkWritten uses it.
	before []int64
}

// folder is one that a command writes to.
type folder struct {
	path string
	// count says that what is in it is counted.
	count bool
	// free was the free space of its disk when the command began.
	free int64
}

// newWatch notes how things are before a command begins. A folder of which the
// system does not tell the free space is not watched.
func newWatch(l Limits, now time.Time, project string, written []string) *watch {
	w := &watch{limits: l, began: now.Add(-clockStep)}
	for i, path := range append([]string{project}, written...) {
		if free, ok := freeSpace(path); ok {
			w.folders = append(w.folders, folder{path: path, count: i > 0, free: free})
		}
	}
	return w
}

// shrunk is by how much the free space of a folder's disk is less than it was, and
// what it is now. A folder that is gone has all that it had.
func (f *folder) shrunk() (by, free int64) {
	free, ok := freeSpace(f.path)
	if !ok {
		free = f.free
	}
	return f.free - free, free
}

// checkFree returns an error where too little space is left.
func (w *watch) checkFree(context.Context) error {
	for i := range w.folders {
		if by, free := w.folders[i].shrunk(); free < w.limits.FreeBytes && by > slack {
			return &ExceededError{SettingFree, w.limits.FreeBytes}
		}
	}
	return nil
}

// checkWritten returns an error where the command has written too much. How much a folder
// held before is told by the first count: it is what the older files take.
func (w *watch) checkWritten(ctx context.Context) error {
	first := w.before == nil
	if first {
		w.before = make([]int64, len(w.folders))
	}
	var total int64
	for i := range w.folders {
		f := &w.folders[i]
		if !f.count {
			continue
		}
		held := count(ctx, f.path, w.began)
		if first {
			w.before[i] = held.older
		}
		grown := held.older + held.newer - w.before[i]
		if held.closed {
			// A command may hide what it writes, but not that the space shrinks.
			by, _ := f.shrunk()
			grown = max(grown, by)
		}
		total += max(grown, 0)
	}
	if ctx.Err() == nil && total > w.limits.WriteBytes {
		return &ExceededError{SettingWrite, w.limits.WriteBytes}
	}
	return nil
}

// held is what a folder holds, as space on the disk.
type held struct {
	// older is what files take that are older than the command, newer the others.
	older, newer int64
	// closed is set where folders could not be read, or are too deep.
	closed bool
}
