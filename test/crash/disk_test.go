//go:build crashtest

package crash

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// disk is a model of two file systems, that of the project and that of the state
// folder, and of what each is sure to have after a power cut.
//
// Contents and names are lost apart. A file has on disk what was flushed, and any
// of what was written since. Changes of names form one sequence for each file
// system, as in its journal: a cut keeps the beginning of it, and no less than a
// flush of a folder has forced out. That is how ext4 and XFS behave, without
// the favours that they do. A strict file system promises less: a flush forces out
// the changes of that folder, and those that they build on.
type disk struct {
	roots []string // absolute; each is a file system
	files []file
	// now are the names as the process sees them, kept those before all of moves.
	now, kept map[int]map[string]int
	moves     [][]move       // by root
	forced    []int          // how many of them a cut keeps at least
	must      []map[int]bool // which of them a strict file system keeps
	// ignore is a flush that this disk lies about.
	ignore string
}

// file is an inode; folders have no content.
type file struct {
	root   int
	dir    bool
	target string
	mode   fs.FileMode
	kept   []byte
	writes []write
}

// write is data at an offset, or a cut to it where data is nil.
type write struct {
	off  int64
	data []byte
}

// move is one change of names, which happens as a whole: each name of a folder
// leads to a file, or with 0 to none.
type move []name

type name struct {
	dir  int
	name string
	file int
}

// newDisk reads what is in roots; all of it counts as flushed.
func newDisk(roots ...string) (*disk, error) {
	d := &disk{files: make([]file, 1), now: map[int]map[string]int{}, moves: make([][]move, len(roots)), forced: make([]int, len(roots)), must: make([]map[int]bool, len(roots))}
	for i, root := range roots { // a root's number is its place in the list, and one more
		d.roots = append(d.roots, root)
		d.add(file{root: i, dir: true})
		d.must[i] = map[int]bool{}
	}
	for i, root := range roots {
		if err := d.load(root, i+1); err != nil {
			return nil, err
		}
	}
	d.kept = clone(d.now)
	return d, nil
}

func (d *disk) load(folder string, at int) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	d.now[at] = map[string]int{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		path := filepath.Join(folder, e.Name())
		f := file{root: d.files[at].root, dir: e.IsDir(), mode: info.Mode().Perm()}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			if f.target, err = os.Readlink(path); err != nil {
				return err
			}
		case info.Mode().IsRegular():
			if f.kept, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		id := d.add(f)
		d.now[at][e.Name()] = id
		if e.IsDir() {
			if err := d.load(path, id); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *disk) add(f file) int {
	d.files = append(d.files, f)
	return len(d.files) - 1
}

// copy returns a disk of its own.
func (d *disk) copy() *disk {
	c := *d
	c.files = slices.Clone(d.files)
	c.now, c.kept = clone(d.now), clone(d.kept)
	c.moves, c.forced, c.must = slices.Clone(d.moves), slices.Clone(d.forced), slices.Clone(d.must)
	for i := range c.must {
		c.must[i] = maps.Clone(d.must[i])
	}
	return &c
}

func clone(names map[int]map[string]int) map[int]map[string]int {
	all := maps.Clone(names)
	for dir := range all {
		all[dir] = maps.Clone(all[dir])
	}
	return all
}

// content is a file's after its first n writes, the last of them torn after some
// bytes where torn is not negative.
func (f *file) content(n, torn int) []byte {
	data := bytes.Clone(f.kept)
	for i, w := range f.writes[:n] {
		if w.data == nil {
			data = data[:min(int64(len(data)), w.off)]
			continue
		}
		part := w.data
		if i == n-1 && torn >= 0 {
			part = part[:min(torn, len(part))]
		}
		if end := w.off + int64(len(part)); end > int64(len(data)) {
			data = append(data, make([]byte, end-int64(len(data)))...)
		}
		copy(data[w.off:], part)
	}
	return data
}
