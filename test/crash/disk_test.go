//go:build crashtest

package crash

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
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

// find returns the folder and the base name of a path, and what it leads to. What
// was made past durable on the way, such as the folders of a new state folder,
// counts as flushed.
func (d *disk) find(path string) (dir int, base string, id int, ok bool) {
	for i, root := range d.roots {
		rel, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		at := i + 1
		if rel == "." {
			return at, ".", at, true
		}
		parts := strings.Split(rel, string(filepath.Separator))
		for _, part := range parts[:len(parts)-1] {
			next := d.now[at][part]
			if next == 0 {
				next = d.plant(at, part, true)
			}
			at = next
		}
		base = parts[len(parts)-1]
		return at, base, d.now[at][base], true
	}
	return 0, "", 0, false
}

// plant makes what the process found there without having made it by durable.
func (d *disk) plant(dir int, base string, folder bool) int {
	id := d.add(file{root: d.files[dir].root, dir: folder, mode: 0o600})
	if folder {
		d.now[id], d.kept[id] = map[string]int{}, map[string]int{}
	}
	d.now[dir][base] = id
	if d.kept[dir] == nil {
		d.kept[dir] = map[string]int{}
	}
	d.kept[dir][base] = id
	return id
}

// mkdirs makes the folders that are missing on the way to path, and path itself.
func (d *disk) mkdirs(path string) {
	if slices.Contains(d.roots, path) {
		return
	}
	if above := filepath.Dir(path); above != path {
		d.mkdirs(above)
	}
	dir, base, id, ok := d.find(path)
	if ok && id == 0 {
		folder := d.add(file{root: d.files[dir].root, dir: true, mode: 0o700})
		d.now[folder] = map[string]int{}
		d.move(name{dir, base, folder})
	}
}

// apply does what the process did.
func (d *disk) apply(op durable.Op) {
	if op.Verb == durable.OpMkdir {
		d.mkdirs(op.Path)
		return
	}
	dir, base, id, ok := d.find(op.Path)
	if !ok {
		return // elsewhere, such as in a cache
	}
	switch op.Verb {
	case durable.OpCreate:
		if id == 0 {
			d.move(name{dir, base, d.add(file{root: d.files[dir].root, mode: op.Mode})})
		}
	case durable.OpSymlink:
		d.move(name{dir, base, d.add(file{root: d.files[dir].root, target: op.To})})
	case durable.OpWrite, durable.OpTruncate:
		if id == 0 {
			id = d.plant(dir, base, false)
		}
		data := bytes.Clone(op.Data)
		if op.Verb == durable.OpTruncate {
			data = nil
		}
		d.files[id].writes = append(d.files[id].writes, write{op.Off, data})
	case durable.OpFlush:
		if id != 0 && op.Point != d.ignore {
			d.files[id].kept, d.files[id].writes = d.files[id].content(len(d.files[id].writes), -1), nil
		}
	case durable.OpFlushDir:
		if op.Point != d.ignore {
			d.force(id)
		}
	case durable.OpRemove, durable.OpRemoveAll:
		if id != 0 {
			d.move(name{dir, base, 0})
		}
	default:
		d.twoNames(op, dir, base, id)
	}
}

func (d *disk) twoNames(op durable.Op, dir int, base string, id int) {
	toDir, toBase, other, ok := d.find(op.To)
	if !ok || id == 0 {
		return
	}
	switch op.Verb {
	case durable.OpRename:
		d.move(name{dir, base, 0}, name{toDir, toBase, id})
	case durable.OpLink:
		d.move(name{toDir, toBase, id})
	case durable.OpExchange:
		d.move(name{dir, base, other}, name{toDir, toBase, id})
	}
}

func (d *disk) move(names ...name) {
	set(d.now, names)
	root := d.files[names[0].dir].root
	d.moves[root] = append(d.moves[root], names)
}

func set(all map[int]map[string]int, names move) {
	for _, n := range names {
		if all[n.dir] == nil {
			all[n.dir] = map[string]int{}
		}
		if n.file == 0 {
			delete(all[n.dir], n.name)
		} else {
			all[n.dir][n.name] = n.file
		}
	}
}

// force makes the changes of a folder's names durable, and those before them.
func (d *disk) force(dir int) {
	root := d.files[dir].root
	folders := map[int]bool{dir: true} // whose changes must stay
	for i, m := range slices.Backward(d.moves[root]) {
		if !slices.ContainsFunc(m, func(n name) bool { return folders[n.dir] }) {
			continue
		}
		d.forced[root] = max(d.forced[root], i+1)
		d.must[root][i] = true
		for _, n := range m {
			folders[n.dir] = true
		}
	}
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
