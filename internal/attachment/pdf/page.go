package pdf

import (
	"context"
)

// page is a leaf of the page tree with what it inherits.
type page struct {
	dict      dict
	resources any
}

// Pages counts the pages. It walks the tree and does not believe the count that
// the file states.
func (f *File) Pages(ctx context.Context) (int, error) {
	n := 0
	err := f.walk(ctx, func(page) error { n++; return nil })
	if err == nil && n == 0 {
		err = ErrUnsupported
	}
	return n, err
}

// walk calls visit for every page in order.
func (f *File) walk(ctx context.Context, visit func(page) error) error {
	catalog, err := f.dict(ctx, f.root)
	if err != nil {
		return err
	}
	w := &walker{f: f, seen: map[ref]bool{}, visit: visit}
	return w.node(ctx, catalog["Pages"], nil, 0)
}

type walker struct {
	f     *File
	seen  map[ref]bool // a tree that returns to itself would never end
	visit func(page) error
}

func (w *walker) node(ctx context.Context, at any, resources any, depth int) error {
	if id, ok := at.(ref); ok {
		if w.seen[id] || len(w.seen) >= maxPages {
			return ErrUnsupported
		}
		w.seen[id] = true
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
	if own := d["Resources"]; own != nil {
		resources = own
	}
	if d["Kids"] == nil {
		if d["Type"] == name("Pages") { // an empty branch
			return nil
		}
		return w.visit(page{dict: d, resources: resources})
	}
	kids, err := w.f.array(ctx, d["Kids"])
	if err != nil {
		return err
	}
	for _, kid := range kids {
		if _, ok := kid.(ref); !ok {
			return ErrUnsupported
		}
		if err := w.node(ctx, kid, resources, depth+1); err != nil {
			return err
		}
	}
	return nil
}
