package files

import (
	"context"
	"io/fs"
	"path"
	"slices"

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
	complete, count := true, 0
	for b := range inOrder {
		select {
		case <-b.done:
		case <-k.until:
			complete = false
		}
		if !complete {
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

// rulesAbove are the ignore rules of the folders around the walk's.
func (k *walk[R]) rulesAbove() *ignoring {
	if k.ignored || k.at.scratch {
		return nil
	}
	var g *ignoring
	if folder, err := durable.OpenFolder(k.at.root, ".git/info"); err == nil {
		g = g.within(folder, "", "exclude")
		_ = folder.Close() // it was only read
	}
	parts := partsOf(k.at.name)
	for i := range parts {
		above := path.Join(parts[:i]...)
		if folder, err := durable.OpenFolder(k.at.root, path.Join(".", above)); err == nil {
			g = g.within(folder, above, ".gitignore")
			_ = folder.Close() // it was only read
		}
	}
	return g
}

// listAll lists a folder and all in it, and hands their files on. It owns h.
func (k *walk[R]) listAll(ctx context.Context, h *handle, work, inOrder chan<- *batch[R]) {
	left := k.list(h, "", k.rulesAbove()) // a stack: the first in order is on top
	for len(left) > 0 {
		b := left[len(left)-1]
		left = left[:len(left)-1]
		if b.enter {
			if in, err := k.enter(b.folder, b.names[0]); err != nil {
				k.skipped++
			} else {
				left = append(left, k.list(in, b.path, b.ignore)...)
			}
			b.folder.release()
			continue
		}
		select {
		case work <- b:
		case <-ctx.Done():
			b.folder.release()
			for _, b := range left {
				b.folder.release()
			}
			return
		}
		select {
		case inOrder <- b:
		case <-ctx.Done():
		}
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

func (k *walk[R]) enter(above *handle, name string) (*handle, error) {
	folder, err := durable.EnterFolder(above.root, name)
	if err != nil {
		return nil, err
	}
	return newHandle(folder)
}

// list returns what is in a folder, the last in order first. It owns h.
func (k *walk[R]) list(h *handle, name string, g *ignoring) (all []*batch[R]) {
	defer h.release()
	entries, err := h.entries()
	if err != nil {
		k.skipped++
		return nil
	}
	full := path.Join(k.at.name, name) // below the root
	if full == "." {
		full = ""
	}
	if !k.ignored && !k.at.scratch {
		g = g.within(h.root, full, ".gitignore")
	}
	add := func(b *batch[R]) {
		h.retain()
		b.folder = h
		all = append(all, b)
	}
	for _, e := range entries {
		switch {
		case k.leavesOut(join(full, e.Name()), e, g):
		case e.IsDir():
			add(&batch[R]{path: join(name, e.Name()), names: []string{e.Name()}, enter: true, ignore: g})
		case e.Type().IsRegular():
			if n := len(all); n == 0 || all[n-1].enter || len(all[n-1].names) == filesPerBatch {
				add(&batch[R]{path: name, done: make(chan struct{})})
			}
			last := all[len(all)-1]
			last.names = append(last.names, e.Name())
		}
	}
	slices.Reverse(all)
	return all
}

func (k *walk[R]) leavesOut(full string, e fs.DirEntry, g *ignoring) bool {
	name := e.Name()
	return name == ".git" || name[0] == '.' && !k.hidden ||
		!k.at.scratch && k.w.Scope.Hidden(full) || g.ignores(full, e.IsDir())
}

// join is path.Join for clean paths; "" is the top.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
