package watch

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"sync"
)

// walk lists a whole project, by the stat of each of its files: what is in a file
// may change without a trace in its folder. The last listing saves memory, not
// looks. Folders that cannot be read are told apart: what is in them is not known.
func walk(root *os.Root, last *listing, limit int) (*listing, []string, error) {
	top, err := root.Open(".")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = top.Close() }()
	w := &walker{root: root, top: top, last: last, limit: limit, queue: []string{"."}, folders: make(map[string]*folder, len(last.folders))}
	w.wake = sync.NewCond(&w.mu)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(w.work)
	}
	all.Wait()
	if w.err != nil {
		return nil, nil, w.err
	}
	return &listing{w.folders}, w.closed, nil
}

// walker shares the folders of a project among several goroutines.
type walker struct {
	root  *os.Root
	top   *os.File
	last  *listing
	limit int

	mu      sync.Mutex
	wake    *sync.Cond
	queue   []string // folders to be read
	busy    int      // folders being read
	folders map[string]*folder
	entries int
	closed  []string
	err     error
}

func (w *walker) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && w.busy > 0 && w.err == nil {
			w.wake.Wait()
		}
		if len(w.queue) == 0 || w.err != nil {
			return
		}
		dir := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		w.busy++
		w.mu.Unlock()
		f, err := w.read(dir)
		w.mu.Lock()
		w.busy--
		w.took(dir, f, err)
		w.wake.Broadcast()
	}
}

// took files what a folder held.
func (w *walker) took(dir string, f *folder, err error) {
	switch {
	case errors.Is(err, fs.ErrPermission):
		w.closed = append(w.closed, dir)
	case errors.Is(err, fs.ErrNotExist) && dir != ".": // gone meanwhile
	case err != nil:
		w.err = err
	}
	w.folders[dir] = f
	for i, e := range f.entries {
		if e.mode.IsDir() {
			w.queue = append(w.queue, path.Join(dir, f.names[i]))
		}
	}
	if w.entries += len(f.entries); w.entries > w.limit {
		w.err = &TooManyFilesError{w.limit}
	}
}

func (w *walker) read(dir string) (*folder, error) {
	b := builder{last: w.last.folders[dir]}
	skip := skippingIn(dir)
	err := readDir(w.root, w.top, dir, func(name string, e entry) {
		if !skip.skips(name) {
			b.add(name, e)
		}
	})
	return b.folder(), err
}
