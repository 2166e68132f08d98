package files

import (
	"context"

	"belay/internal/crash"
	"belay/internal/durable"
	"belay/internal/tool"
)

// walk visits the regular files below a folder with several goroutines, and
// yields what the visits found in the order of the paths, compared name by name.
//
// Links are not followed. Names that begin with a dot are left out unless hidden
// is set, and .git always; what git ignores is left out unless ignored is set;
// what an agent may not see is left out always. Folders that cannot be opened are
// counted and passed over.
type walk[R any] struct {
	w       *tool.Environment
	at      place
	hidden  bool
	ignored bool
	workers int
	// enough is how much is wanted: when the first files, in order, have found so
	// much, the walk stops. What it yields does not depend on chance.
	enough int
	// until ends the walk with what was found when it is closed; nil never does.
	until <-chan struct{}
	// visitor makes the function that one goroutine visits files with; it returns
	// what was found and how much that counts. Name is in folder, path below at.
	visitor func() func(folder *handle, name, path string) (found R, n int)

	skipped int
}

// batch is some files of a folder that one goroutine visits, or a folder in it that is to
// be listed.
type batch[R any] struct {
	folder *handle // each batch holds it
	path   string  // of the files' folder, or of the one to list
	names  []string
	enter  bool // names[0] is a folder to list
	ignore *ignoring
	found  []R
	count  int
	done   chan struct{}
}

// filesPerBatch is how many files a goroutine takes at once, batchesAhead how many
// batches may be listed before the first of them is done.
const (
	filesPerBatch = 32
	batchesAhead  = 256
)

// run does the walk. All its goroutines have ended when it returns.
func (k *walk[R]) run(ctx context.Context) (found []R, complete bool, err error) {
	top, err := durable.OpenFolder(k.at.root, k.at.name)
	if err != nil {
		return nil, false, err
	}
	h, err := newHandle(top)
	if err != nil {
		return nil, false, err
	}
	walking, stop := context.WithCancel(ctx)
	defer stop()
	work, inOrder := make(chan *batch[R]), make(chan *batch[R], batchesAhead)
	all := crash.Group{Stop: stop}
	all.Go(func() {
		defer close(work)
		defer close(inOrder)
		k.listAll(walking, h, work, inOrder)
	})
	for range k.workers {
		all.Go(func() { k.visit(walking, work) })
	}
	count := 0
	for {
		b, inTime := k.next(inOrder)
		if b == nil {
			complete = inTime
			break
		}
		found, count = append(found, b.found...), count+b.count
		if k.enough > 0 && count >= k.enough {
			complete = false
			break
		}
	}
	stop()
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	return found, complete, nil
}

// next returns a batch that was visited, or nil where none is left or the time is up.
func (k *walk[R]) next(inOrder <-chan *batch[R]) (b *batch[R], inTime bool) {
	select {
	case b = <-inOrder: // nil, when it was closed
	case <-k.until:
		return nil, false
	}
	if b == nil {
		return nil, true
	}
	select {
	case <-b.done:
		return b, true
	case <-k.until:
		return nil, false
	}
}

// visit visits the files of batches until there are no more.
func (k *walk[R]) visit(ctx context.Context, batches <-chan *batch[R]) {
	visit := k.visitor()
	for b := range batches {
		k.visitBatch(ctx, b, visit)
	}
}

func (k *walk[R]) visitBatch(ctx context.Context, b *batch[R], visit func(*handle, string, string) (R, int)) {
	defer close(b.done)
	defer b.folder.release()
	for _, name := range b.names {
		if ctx.Err() != nil || k.enough > 0 && b.count >= k.enough {
			break // nothing after these is wanted
		}
		if found, n := visit(b.folder, name, join(b.path, name)); n > 0 {
			b.found = append(b.found, found)
			b.count += n
		}
	}
}
