//go:build crashtest

package crash

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
)

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
