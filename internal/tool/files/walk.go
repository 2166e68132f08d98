package files

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"sync"

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
	// visitor makes the function that one goroutine visits files with; it returns
	// what was found and how much that counts. Name is in folder, path below at.
	visitor func() func(folder *handle, name, path string) (found R, n int)

	mu      sync.Mutex
	work    *sync.Cond
	pending []*station[R] // a stack: the first in order is on top
	active  int
	front   *station[R] // the first that is not done
	total   int
	stop    bool
	err     error
	skipped int
}

// station is one piece of work: a folder to list, or some files to visit. Listing
// a folder puts the stations of what is in it after its own.
type station[R any] struct {
	next   *station[R]
	done   bool
	found  []R
	count  int
	folder *handle // where names are
	names  []string
	path   string // of the folder
	enter  bool   // names[0] is a folder to list
	ignore *ignoring
}

// filesPerStation is how many files a goroutine takes at once.
const filesPerStation = 32

// run does the walk. All its goroutines have ended when it returns.
func (k *walk[R]) run(ctx context.Context) (found []R, complete bool, err error) {
	k.work = sync.NewCond(&k.mu)
	top, err := durable.OpenFolder(k.at.root, k.at.name)
	if err != nil {
		return nil, false, err
	}
	h, err := newHandle(top)
	if err != nil {
		return nil, false, err
	}
	first := &station[R]{}
	k.front, k.active = first, 1
	end := context.AfterFunc(ctx, func() { k.fail(ctx.Err()) })
	defer end()
	var wg sync.WaitGroup
	for range k.workers {
		wg.Go(k.worker)
	}
	k.list(first, h, "", k.rulesAbove())
	k.finish(first)
	wg.Wait()
	end()
	k.mu.Lock() // a late cancel may still be on its way
	defer k.mu.Unlock()
	for _, s := range k.pending {
		s.folder.release()
	}
	if err := cmp.Or(k.err, ctx.Err()); err != nil {
		return nil, false, err
	}
	for s := first; s != nil && s.done; s = s.next {
		found = append(found, s.found...)
	}
	return found, !k.stop, nil
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

func (k *walk[R]) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.err, k.stop = err, true
	k.work.Broadcast()
}

func (k *walk[R]) worker() {
	visit := k.visitor()
	for s := k.take(); s != nil; s = k.take() {
		if s.enter {
			k.enter(s)
		} else {
			k.visit(s, visit)
		}
		s.folder.release()
		k.finish(s)
	}
}

// take waits for work; nil means that there is no more.
func (k *walk[R]) take() *station[R] {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.pending) == 0 && k.active > 0 && !k.stop {
		k.work.Wait()
	}
	if k.stop || len(k.pending) == 0 {
		return nil
	}
	s := k.pending[len(k.pending)-1]
	k.pending = k.pending[:len(k.pending)-1]
	k.active++
	return s
}

// finish ends a station and moves the front on.
func (k *walk[R]) finish(s *station[R]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s.done = true
	k.active--
	for k.front != nil && k.front.done {
		k.total += k.front.count
		k.front = k.front.next
	}
	if k.enough > 0 && k.total >= k.enough {
		k.stop = true
	}
	if k.stop || k.active == 0 && len(k.pending) == 0 {
		k.work.Broadcast()
	}
}

func (k *walk[R]) visit(s *station[R], visit func(*handle, string, string) (R, int)) {
	for _, name := range s.names {
		if k.stopped() {
			return
		}
		if found, n := visit(s.folder, name, join(s.path, name)); n > 0 {
			s.found = append(s.found, found)
			s.count += n
			if k.enough > 0 && s.count >= k.enough {
				return // nothing after these is wanted
			}
		}
	}
}

func (k *walk[R]) stopped() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stop
}

// enter opens a folder and lists it.
func (k *walk[R]) enter(s *station[R]) {
	folder, err := durable.EnterFolder(s.folder.root, s.names[0])
	var h *handle
	if err == nil {
		h, err = newHandle(folder)
	}
	if err != nil {
		k.mu.Lock()
		k.skipped++
		k.mu.Unlock()
		return
	}
	k.list(s, h, s.path, s.ignore)
}

// list puts the stations of a folder's entries after s. It owns h.
func (k *walk[R]) list(s *station[R], h *handle, name string, g *ignoring) {
	defer h.release()
	entries, err := h.entries()
	if err != nil {
		k.mu.Lock()
		k.skipped++
		k.mu.Unlock()
		return
	}
	full := path.Join(k.at.name, name) // below the root
	if full == "." {
		full = ""
	}
	if !k.ignored && !k.at.scratch {
		g = g.within(h.root, full, ".gitignore")
	}
	var stations []*station[R]
	files := func() *station[R] {
		if n := len(stations); n > 0 && !stations[n-1].enter && len(stations[n-1].names) < filesPerStation {
			return stations[n-1]
		}
		stations = append(stations, &station[R]{folder: h, path: name})
		return stations[len(stations)-1]
	}
	for _, e := range entries {
		switch {
		case k.leavesOut(join(full, e.Name()), e, g):
		case e.IsDir():
			stations = append(stations, &station[R]{folder: h, path: join(name, e.Name()), names: []string{e.Name()}, enter: true, ignore: g})
		case e.Type().IsRegular():
			f := files()
			f.names = append(f.names, e.Name())
		}
	}
	k.push(s, stations)
}

func (k *walk[R]) leavesOut(full string, e fs.DirEntry, g *ignoring) bool {
	name := e.Name()
	return name == ".git" || name[0] == '.' && !k.hidden ||
		!k.at.scratch && k.w.Scope.Hidden(full) || g.ignores(full, e.IsDir())
}

func (k *walk[R]) push(s *station[R], stations []*station[R]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(stations) - 1; i >= 0; i-- {
		it := stations[i]
		it.folder.retain()
		it.next, s.next = s.next, it
		k.pending = append(k.pending, it)
	}
	k.work.Broadcast()
}

// join is path.Join for clean paths; "" is the top.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
