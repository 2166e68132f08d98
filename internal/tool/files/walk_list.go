package files

import (
	"context"
	"io/fs"
	"path"
	"slices"

	"belay/internal/durable"
)

// This file lists the folders of a walk.

// rulesAbove are the ignore rules of the folders around the walk's.
func (k *walk[R]) rulesAbove() *ignoring {
	if k.ignored || k.at.scratch {
		return nil
	}
	var g *ignoring
	if folder, err := durable.OpenFolder(k.at.root, ".git/info"); err == nil {
		g = g.within(folder, "", "exclude")
		_ = folder.Close() // it was only read
	}
	parts := partsOf(k.at.name)
	for i := range parts {
		above := path.Join(parts[:i]...)
		if folder, err := durable.OpenFolder(k.at.root, path.Join(".", above)); err == nil {
			g = g.within(folder, above, ".gitignore")
			_ = folder.Close() // it was only read
		}
	}
	return g
}

// listAll lists a folder and all in it, and hands their files on. It owns h.
func (k *walk[R]) listAll(ctx context.Context, h *handle, work, inOrder chan<- *batch[R]) {
	left := k.list(h, "", k.rulesAbove()) // a stack: the first in order is on top
	for len(left) > 0 {
		if ctx.Err() != nil { // there may be nothing but folders
			for _, b := range left {
				b.folder.release()
			}
			return
		}
		b := left[len(left)-1]
		left = left[:len(left)-1]
		if b.enter {
			if in, err := k.enter(b.folder, b.names[0]); err != nil {
				k.skipped++
			} else {
				left = append(left, k.list(in, b.path, b.ignore)...)
			}
			b.folder.release()
			continue
		}
		select {
		case work <- b:
		case <-ctx.Done():
			b.folder.release()
			for _, b := range left {
				b.folder.release()
			}
			return
		}
		select {
		case inOrder <- b:
		case <-ctx.Done():
		}
	}
}

func (k *walk[R]) enter(above *handle, name string) (*handle, error) {
	folder, err := durable.EnterFolder(above.root, name)
	if err != nil {
		return nil, err
	}
	return newHandle(folder)
}

// list returns what is in a folder, the last in order first. It owns h.
func (k *walk[R]) list(h *handle, name string, g *ignoring) (all []*batch[R]) {
	defer h.release()
	entries, err := h.entries()
	if err != nil {
		k.skipped++
		return nil
	}
	full := path.Join(k.at.name, name) // below the root
	if full == "." {
		full = ""
	}
	if !k.ignored && !k.at.scratch {
		g = g.within(h.root, full, ".gitignore")
	}
	add := func(b *batch[R]) {
		h.retain()
		b.folder = h
		all = append(all, b)
	}
	for _, e := range entries {
		switch {
		case k.leavesOut(join(full, e.Name()), e, g):
		case e.IsDir():
			add(&batch[R]{path: join(name, e.Name()), names: []string{e.Name()}, enter: true, ignore: g})
		case e.Type().IsRegular():
			if n := len(all); n == 0 || all[n-1].enter || len(all[n-1].names) == filesPerBatch {
				add(&batch[R]{path: name, done: make(chan struct{})})
			}
			last := all[len(all)-1]
			last.names = append(last.names, e.Name())
		}
	}
	slices.Reverse(all)
	return all
}

func (k *walk[R]) leavesOut(full string, e fs.DirEntry, g *ignoring) bool {
	name := e.Name()
	return name == ".git" || name[0] == '.' && !k.hidden ||
		!k.at.scratch && k.w.Hides(full, e.IsDir()) || g.ignores(full, e.IsDir())
}

// join is path.Join for clean paths; "" is the top.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
