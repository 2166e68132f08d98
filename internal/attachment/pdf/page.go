package pdf

import (
	"context"
	"io"
)

// CountPages counts the pages of a file of size bytes. It walks the tree of pages and does not
// believe the count that the file states. Only the tree is read, and none of the pages' contents.
func CountPages(ctx context.Context, src io.ReaderAt, size int64) (int, error) {
	f, err := open(ctx, src, size)
	if err != nil {
		return 0, err
	}
	catalog, err := f.dict(ctx, f.root)
	if err != nil {
		return 0, err
	}
	w := &walker{f: f, seen: map[ref]bool{}}
	if err := w.node(ctx, catalog["Pages"], 0); err != nil {
		return 0, err
	}
	if w.pages == 0 {
		return 0, ErrUnsupported
	}
	return w.pages, nil
}

// walker goes through the tree of pages.
type walker struct {
	f     *file
	seen  map[ref]bool // true for the nodes above: a tree that returns to one would never end
	pages int
}

func (w *walker) node(ctx context.Context, at any, depth int) error {
	if id, ok := at.(ref); ok {
		above, seen := w.seen[id]
		switch {
		case above:
			return ErrDamaged // the engine takes such a tree, and the number of pages that it states
		case seen || len(w.seen) >= maxPages:
			return ErrUnsupported
		}
		w.seen[id] = true
		defer func() { w.seen[id] = false }()
	}
	if depth > maxDepth {
		return ErrUnsupported
	}
	d, err := w.f.dict(ctx, at)
	if err != nil {
		return err
	}
	if d == nil {
		return ErrUnsupported
	}
	if d["Kids"] == nil {
		if d["Type"] == name("Pages") { // an empty branch
			return nil
		}
		w.pages++
		return nil
	}
	kids, err := w.f.array(ctx, d["Kids"])
	if err != nil {
		return err
	}
	for _, kid := range kids {
		if _, ok := kid.(ref); !ok {
			return ErrUnsupported
		}
		if err := w.node(ctx, kid, depth+1); err != nil {
			return err
		}
	}
	return nil
}
