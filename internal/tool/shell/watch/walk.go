package watch

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"sync"
)

// walk notes a whole project. Folders that cannot be read are told apart: what
// is in them is not known.
func walk(root *os.Root, limit int) (tree, []string, error) {
	top, err := root.Open(".")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = top.Close() }()
	w := &walker{root: root, top: top, limit: limit, queue: []string{"."}}
	w.wake = sync.NewCond(&w.mu)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(w.work)
	}
	all.Wait()
	if w.err != nil {
		return nil, nil, w.err
	}
	t := make(tree, len(w.found))
	for _, f := range w.found {
		t[f.path] = f.entry
	}
	return t, w.closed, nil
}

// walker shares the folders of a project among several goroutines.
type walker struct {
	root  *os.Root
	top   *os.File
	limit int

	mu     sync.Mutex
	wake   *sync.Cond
	queue  []string // folders to be read
	busy   int      // folders being read
	found  []found
	closed []string
	err    error
}

type found struct {
	path string
	entry
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
		entries, err := w.read(dir)
		w.mu.Lock()
		w.busy--
		w.took(dir, entries, err)
		w.wake.Broadcast()
	}
}

// took files what a folder held.
func (w *walker) took(dir string, entries []found, err error) {
	switch {
	case errors.Is(err, fs.ErrPermission):
		w.closed = append(w.closed, dir)
	case errors.Is(err, fs.ErrNotExist) && dir != ".": // gone meanwhile
	case err != nil:
		w.err = err
	}
	for _, f := range entries {
		if f.mode.IsDir() {
			w.queue = append(w.queue, f.path)
		}
	}
	w.found = append(w.found, entries...)
	if len(w.found) > w.limit {
		w.err = &TooManyFilesError{w.limit}
	}
}

func (w *walker) read(dir string) ([]found, error) {
	var entries []found
	err := readDir(w.root, w.top, dir, func(name string, e entry) {
		p := path.Join(dir, name)
		if skipped(p) {
			return
		}
		e.readTarget(w.root, p)
		entries = append(entries, found{p, e})
	})
	return entries, err
}
