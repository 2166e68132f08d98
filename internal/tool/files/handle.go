package files

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// handle is an open folder that several stations share.
type handle struct {
	root *os.Root
	dir  *os.File // the same, for its entries
	mu   sync.Mutex
	refs int
}

// entries are what is in the folder, in the order of their names.
func (h *handle) entries() ([]fs.DirEntry, error) {
	entries, err := h.dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// newHandle owns root; the caller has the first reference.
func newHandle(root *os.Root) (*handle, error) {
	dir, err := root.Open(".")
	if err != nil {
		_ = root.Close() // the error of the open says more
		return nil, err
	}
	return &handle{root: root, dir: dir, refs: 1}, nil
}

func (h *handle) retain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refs++
}

func (h *handle) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refs--; h.refs == 0 {
		_ = h.dir.Close() // both were only read
		_ = h.root.Close()
	}
}
