package watch

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"belay/internal/durable"
)

// keep holds the contents of a project's files as they were before a command,
// one behind the other in a file, the pack, with an index beside it. Both belong
// to one process, which holds a lock on the pack for as long as it lives.
type keep struct {
	dir   string
	limit int64

	lock  *durable.FileLock
	pack  *os.File
	index *index
	end   int64
	held  map[string]*holding // by folder
}

func newKeep(dir string, limit int64) *keep {
	return &keep{dir: dir, limit: limit, held: map[string]*holding{}}
}

// keptPrefix begins the name of a pack, indexSuffix ends that of its index.
const (
	keptPrefix  = "kept-"
	indexSuffix = ".index"
)

func (k *keep) close() error {
	if k.pack == nil {
		return nil
	}
	err := errors.Join(k.index.close(), k.lock.Unlock(), removeKept(k.pack.Name()))
	k.pack = nil
	return err
}

// removeKept removes a pack and its index.
func removeKept(name string) error {
	return errors.Join(os.RemoveAll(name), os.RemoveAll(name+indexSuffix))
}

// open makes the pack.
func (k *keep) open() (err error) {
	if k.pack != nil {
		return nil
	}
	name := filepath.Join(k.dir, keptPrefix+rand.Text())
	if k.lock, err = durable.Lock(name); err != nil {
		return err
	}
	if k.index, err = newIndex(name + indexSuffix); err != nil {
		return errors.Join(err, k.lock.Unlock(), os.Remove(name))
	}
	k.pack = k.lock.File()
	return nil
}

// update keeps what moved since the last command: what is protected and what is
// small first, as far as there is room.
func (k *keep) update(ctx context.Context, place Place, l *listing) error {
	if err := k.open(); err != nil {
		return fmt.Errorf("open the place for kept files: %w", err)
	}
	moved, live := k.moved(place, l)
	if grown := k.end + bytesOf(moved); grown > k.limit && k.end-live > k.limit/4 {
		if err := k.restart(); err != nil {
			return err
		}
		moved, _ = k.moved(place, l)
	}
	k.order(moved, place)
	from := opener{project: place.Root}
	defer from.close()
	buf := make([]byte, 256<<10)
	for _, f := range moved {
		if err := ctx.Err(); err != nil {
			return err
		}
		if k.end+f.entry().size > k.limit {
			continue
		}
		if err := k.add(&from, f, buf); err != nil {
			return fmt.Errorf("keep %s: %w", f.path, err)
		}
	}
	return nil
}

// moved lists what is to be held and is not, drops what is there no longer, and
// tells how many bytes are held of what is.
func (k *keep) moved(place Place, l *listing) (files []file, live int64) {
	held := make(map[string]*holding, len(l.folders))
	for dir, f := range l.folders {
		h := k.held[dir]
		if h == nil || h.folder != f || h.most != place.FileBytes {
			h = h.carry(f, place.FileBytes)
		}
		held[dir] = h
		live += h.bytes
		if h.missing == 0 {
			continue
		}
		for i, e := range f.entries {
			if h.at[i] < 0 && h.wants(e) {
				files = append(files, file{path.Join(dir, f.names[i]), h, i})
			}
		}
	}
	k.held = held
	return files, live
}

func bytesOf(files []file) (n int64) {
	for _, f := range files {
		n += f.entry().size
	}
	return n
}

// order puts what must be restorable first: nothing else keeps it safe.
func (k *keep) order(files []file, place Place) {
	if bytesOf(files)+k.end <= k.limit {
		return // all have room
	}
	guarded := make(map[string]bool, len(files))
	for _, f := range files {
		guarded[f.path] = place.forbids(f.path, true) != nil
	}
	slices.SortFunc(files, func(a, b file) int {
		if guarded[a.path] != guarded[b.path] {
			if guarded[a.path] {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.entry().size, b.entry().size), cmp.Compare(a.path, b.path))
	})
}

func (k *keep) restart() error {
	clear(k.held)
	k.end = 0
	return errors.Join(k.index.restart(), k.pack.Truncate(0))
}

// add copies a file to the end of the pack. A file that cannot be read, or that
// changes while it is, is not kept; a pack that cannot be written is an error.
func (k *keep) add(project *opener, f file, buf []byte) error {
	from, err := project.open(f.path)
	if err != nil {
		return nil
	}
	defer func() { _ = from.Close() }()
	e := f.entry()
	if now, err := statEntry(from); err != nil || now != e {
		return nil
	}
	for left := e.size; left > 0; {
		n, err := io.ReadFull(from, buf[:min(left, int64(len(buf)))])
		if err != nil {
			return nil // shorter than it was
		}
		if _, err := k.pack.WriteAt(buf[:n], k.end+e.size-left); err != nil {
			return err
		}
		left -= int64(n)
	}
	if now, err := statEntry(from); err != nil || now != e {
		return nil
	}
	f.in.at[f.i], f.in.noted = k.end, false
	f.in.bytes += e.size
	f.in.missing--
	k.end += e.size
	return nil
}

// opener opens files of a project. Those of one folder, one after the other, pay
// for the way to it once.
type opener struct {
	project *os.Root
	dir     string
	in      *os.Root // dir opened, nil for none
}

func (o *opener) open(p string) (*os.File, error) {
	dir, name := path.Split(p)
	if o.in == nil || o.dir != dir {
		o.close()
		in, err := o.project.OpenRoot(path.Clean(dir))
		if err != nil {
			return nil, err
		}
		o.dir, o.in = dir, in
	}
	return o.in.OpenFile(name, os.O_RDONLY|openNonblock, 0)
}

func (o *opener) close() {
	if o.in != nil {
		_ = o.in.Close() // nothing was written through it
		o.in = nil
	}
}

// content returns what was kept of a file as it was in entry.
func (k *keep) content(p string, e entry) (*io.SectionReader, bool) {
	dir, name := path.Split(p)
	h := k.held[path.Clean(dir)]
	if h == nil {
		return nil, false
	}
	i, ok := h.folder.find(name)
	if !ok || h.folder.entries[i] != e || h.at[i] < 0 {
		return nil, false
	}
	return io.NewSectionReader(k.pack, h.at[i], e.size), true
}

// forbids returns why the scope does not let a command change path. Exists says
// whether it was there before.
func (p Place) forbids(path string, exists bool) error {
	if in, rest := gitPart(path); in {
		if gitProtected(rest) {
			return errGit
		}
		return nil
	}
	return p.Scope.Allows(path, exists)
}

var errGit = errors.New("the configuration and the hooks of Git are programs that run with the user's rights")
