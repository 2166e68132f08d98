package scan

import (
	"context"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"belay/internal/crash"
	"belay/internal/workspace/dir"
)

// walk visits folders with several workers. What each finds it keeps to itself
// until all are done.
type walk struct {
	o    Options
	open func(path string) (dir.Dir, error)

	mu      sync.Mutex
	more    *sync.Cond
	pending []task // a stack: the walk goes deep first, so few folders are open
	waiting int
	active  int
	entered int
	stopped bool

	workers []*worker
}

// task is a folder to enter.
type task struct {
	parent *shared
	// path is the folder's, its last part begins at base.
	path  string
	base  int
	depth int
	at    where // where the folder is, not its contents
}

// shared is an open folder that is closed when all tasks in it are done.
type shared struct {
	dir.Dir
	users atomic.Int32
}

func share(d dir.Dir) *shared {
	s := &shared{Dir: d}
	s.users.Store(1)
	return s
}

func (s *shared) release() {
	if s.users.Add(-1) == 0 {
		s.Close()
	}
}

func newWalk(o Options) *walk {
	w := &walk{o: o, open: dir.Open}
	w.more = sync.NewCond(&w.mu)
	return w
}

// run walks rel and what is below. Its goroutines have ended when it returns.
func (w *walk) run(ctx context.Context, root, rel string) error {
	top, err := w.open(root)
	if err != nil {
		return err
	}
	first, err := descend(share(top), rel)
	if err != nil || first == nil {
		return err
	}
	for range w.o.Workers {
		w.workers = append(w.workers, newWorker(w))
	}
	end := context.AfterFunc(ctx, w.stop)
	defer end()
	depth := 0
	if rel != "." {
		depth = strings.Count(rel, "/") + 1
	}
	w.entered, w.active = 1, 1
	base := path.Base(rel)
	w.workers[0].visit(first, task{path: rel, base: len(rel) - len(base), depth: depth, at: whereIs(path.Dir(rel))})
	w.finish()
	all := crash.Group{Stop: w.stop}
	for _, k := range w.workers {
		all.Go(k.work)
	}
	defer func() { // also where a goroutine panicked
		for _, t := range w.pending {
			t.parent.release()
		}
	}()
	all.Wait()
	return ctx.Err()
}

// descend opens rel below top, nil where there is no such folder. It closes the
// folders on the way.
func descend(at *shared, rel string) (*shared, error) {
	if rel == "." {
		return at, nil
	}
	for _, name := range strings.Split(rel, "/") {
		next, err := at.Enter(name)
		at.release()
		if dir.Gone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		at = share(next)
	}
	return at, nil
}

func (w *walk) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.more.Broadcast()
}

// push adds the folders in parent. What is over the bound of the walk is dropped;
// push reports how many that were.
func (w *walk) push(parent *shared, tasks []task) (dropped int) {
	if len(tasks) == 0 {
		return 0
	}
	parent.users.Add(int32(len(tasks)))
	w.mu.Lock()
	defer w.mu.Unlock()
	room := max(0, w.o.MaxFolders-w.entered)
	if room < len(tasks) {
		dropped = len(tasks) - room
		tasks = tasks[:room]
		parent.users.Add(int32(-dropped))
	}
	w.entered += len(tasks)
	w.pending = append(w.pending, tasks...)
	for range min(w.waiting, len(tasks)) {
		w.more.Signal()
	}
	return dropped
}

// take waits for work; false means that there is no more.
func (w *walk) take() (task, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.pending) == 0 && w.active > 0 && !w.stopped {
		w.waiting++
		w.more.Wait()
		w.waiting--
	}
	if w.stopped || len(w.pending) == 0 {
		return task{}, false
	}
	t := w.pending[len(w.pending)-1]
	w.pending = w.pending[:len(w.pending)-1]
	w.active++
	return t, true
}

func (w *walk) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active--; w.active == 0 && len(w.pending) == 0 {
		w.more.Broadcast()
	}
}

// collect puts together what the workers found.
func (w *walk) collect() records {
	var all records
	for _, k := range w.workers {
		all.add(&k.found)
	}
	all.entered = w.entered
	return all
}

func (r *records) add(o *records) {
	r.packages = append(r.packages, o.packages...)
	r.folders = append(r.folders, o.folders...)
	r.toolRoots = append(r.toolRoots, o.toolRoots...)
	r.markers = append(r.markers, o.markers...)
	r.findings.all, r.findings.more = append(r.findings.all, o.findings.all...), r.findings.more+o.findings.more
	r.visited = append(r.visited, o.visited...)
	r.entered += o.entered
	r.cut = r.cut || o.cut
}
