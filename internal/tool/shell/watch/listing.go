package watch

import (
	"iter"
	"path"
	"slices"
)

// listing is all entries of a project. It does not change; two listings share the
// folders in which nothing happened between them, so that comparing those costs
// nothing.
type listing struct {
	folders map[string]*folder // by path, the project's own is "."
}

// folder is the entries of one folder, in the order in which the system tells
// them. It does not change.
type folder struct {
	names   []string
	entries []entry
	// latest is when one of them changed last.
	latest int64
	// index finds a name; it is made by the first who looks for one.
	index map[string]int
}

// find returns where a name is. It must not be called by two goroutines at once.
func (f *folder) find(name string) (int, bool) {
	if f == nil {
		return 0, false
	}
	if f.index == nil {
		f.index = make(map[string]int, len(f.names))
		for i, n := range f.names {
			f.index[n] = i
		}
	}
	i, ok := f.index[name]
	return i, ok
}

// at returns the entry at a path of the project.
func (l *listing) at(p string) (entry, bool) {
	dir, name := path.Split(p)
	f := l.folders[path.Clean(dir)]
	if i, ok := f.find(name); ok {
		return f.entries[i], true
	}
	return entry{}, false
}

// all tells what is in a folder, by path. There may be no such folder.
func (l *listing) all(dir string) iter.Seq2[string, entry] {
	return func(yield func(string, entry) bool) {
		f := l.folders[dir]
		for i := range f.len() {
			if !yield(path.Join(dir, f.names[i]), f.entries[i]) {
				return
			}
		}
	}
}

func (f *folder) len() int {
	if f == nil {
		return 0
	}
	return len(f.names)
}

// builder makes a folder of what the system tells of it. As long as that is what
// was told the last time, there is nothing to do, and nothing that takes memory.
type builder struct {
	last *folder
	same int     // entries that are those of last, from its beginning
	made *folder // set once there is another
}

func (b *builder) add(name string, e entry) {
	if b.made == nil {
		if i := b.same; i < b.last.len() && b.last.names[i] == name && b.last.entries[i] == e {
			b.same++
			return
		}
		b.part()
	}
	b.made.names, b.made.entries = append(b.made.names, name), append(b.made.entries, e)
}

// part begins a folder that is not the last one.
func (b *builder) part() {
	b.made = &folder{}
	if b.last != nil {
		room := len(b.last.names) + 1
		b.made.names = append(make([]string, 0, room), b.last.names[:b.same]...)
		b.made.entries = append(make([]entry, 0, room), b.last.entries[:b.same]...)
	}
}

// folder returns what was made: the last folder where nothing happened.
func (b *builder) folder() *folder {
	if b.made == nil && b.last != nil && b.same == len(b.last.names) {
		return b.last
	}
	if b.made == nil {
		b.part()
	}
	b.made.names, b.made.entries = slices.Clip(b.made.names), slices.Clip(b.made.entries)
	for _, e := range b.made.entries {
		b.made.latest = max(b.made.latest, e.ctime)
	}
	return b.made
}
