package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// keep holds the contents of a project's files as they were before a command,
// one behind the other in an unnamed file.
type keep struct {
	dir   string
	limit int64

	pack *os.File
	end  int64
	held map[string]held
}

// held is where a file's content lies, and the entry that it was read under.
type held struct {
	entry
	at int64
}

func newKeep(dir string, limit int64) *keep {
	return &keep{dir: dir, limit: limit, held: map[string]held{}}
}

func (k *keep) close() error {
	if k.pack == nil {
		return nil
	}
	err := errors.Join(k.pack.Close(), dropUnnamed(k.pack.Name()))
	k.pack = nil
	return err
}

// open makes the pack. It has no name, so that nothing is left of it after a
// crash.
func (k *keep) open() error {
	if k.pack != nil {
		return nil
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(k.dir, "kept-*")
	if err != nil {
		return err
	}
	k.pack = f
	return unname(f.Name())
}

// update keeps what moved since the last command: what is protected and what is
// small first, as far as there is room.
func (k *keep) update(ctx context.Context, place Place, t tree) error {
	if err := k.open(); err != nil {
		return fmt.Errorf("open the place for kept files: %w", err)
	}
	moved, live := k.moved(place, t)
	if grown := k.end + bytesOf(moved, t); grown > k.limit && k.end-live > k.limit/4 {
		if err := k.restart(); err != nil {
			return err
		}
		moved, _ = k.moved(place, t)
	}
	k.order(moved, place, t)
	buf := make([]byte, 256<<10)
	for _, p := range moved {
		if err := ctx.Err(); err != nil {
			return err
		}
		if k.end+t[p].size > k.limit {
			continue
		}
		if err := k.add(place.Root, p, t[p], buf); err != nil {
			return fmt.Errorf("keep %s: %w", p, err)
		}
	}
	return nil
}

// moved lists what is to be kept and is not, drops what is there no longer, and
// tells how many bytes are held of what is.
func (k *keep) moved(place Place, t tree) (paths []string, live int64) {
	for p, h := range k.held {
		if t[p] != h.entry {
			delete(k.held, p)
		} else {
			live += h.size
		}
	}
	for p, e := range t {
		if _, ok := k.held[p]; !ok && e.mode.IsRegular() && e.size <= place.FileBytes {
			paths = append(paths, p)
		}
	}
	return paths, live
}

func bytesOf(paths []string, t tree) (n int64) {
	for _, p := range paths {
		n += t[p].size
	}
	return n
}

// order puts what must be restorable first: nothing else keeps it safe.
func (k *keep) order(paths []string, place Place, t tree) {
	if bytesOf(paths, t)+k.end <= k.limit {
		return // all have room
	}
	guarded := make(map[string]bool, len(paths))
	for _, p := range paths {
		guarded[p] = place.forbids(p, true) != nil
	}
	slices.SortFunc(paths, func(a, b string) int {
		if guarded[a] != guarded[b] {
			if guarded[a] {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(t[a].size, t[b].size), cmp.Compare(a, b))
	})
}

func (k *keep) restart() error {
	clear(k.held)
	k.end = 0
	return k.pack.Truncate(0)
}

// add copies a file to the end of the pack. A file that cannot be read, or that
// changes while it is, is not kept; a pack that cannot be written is an error.
func (k *keep) add(root *os.Root, p string, e entry, buf []byte) error {
	f, err := root.OpenFile(p, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	if now, err := statEntry(f); err != nil || now != e {
		return nil
	}
	at := k.end
	for left := e.size; left > 0; {
		n, err := io.ReadFull(f, buf[:min(left, int64(len(buf)))])
		if err != nil {
			return nil // shorter than it was
		}
		if _, err := k.pack.WriteAt(buf[:n], at+e.size-left); err != nil {
			return err
		}
		left -= int64(n)
	}
	if now, err := statEntry(f); err != nil || now != e {
		return nil
	}
	k.end += e.size
	k.held[p] = held{e, at}
	return nil
}

// content returns what was kept of a file as it was in entry.
func (k *keep) content(p string, e entry) (*io.SectionReader, bool) {
	h, ok := k.held[p]
	if !ok || h.entry != e {
		return nil, false
	}
	return io.NewSectionReader(k.pack, h.at, h.size), true
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
