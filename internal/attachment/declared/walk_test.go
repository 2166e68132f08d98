package declared_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"belay/internal/attachment/declared"
)

// tiring is a context that is cancelled once it was looked at so often.
type tiring struct {
	context.Context
	looks, most int
}

func (c *tiring) Err() error {
	if c.looks++; c.looks > c.most {
		return context.Canceled
	}
	return nil
}

// Looking for a pattern ends when nobody wants to know any more, also where nothing
// matches: in many folders, in a large one, and for many alternatives.
func TestMatchHeedsItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 100 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("many/%d/below", i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5000 {
		name := filepath.Join(dir, "large", fmt.Sprint(i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f := declared.NewFolder(root, 10)
	for pattern, most := range map[string]int{"many/**/*.none": 50, "large/*.none": 3, "{a,b,c,d,e,f}/{g,h,i,j}/*.none": 3} {
		ctx := &tiring{Context: t.Context(), most: most}
		if found, err := f.Match(ctx, pattern); !errors.Is(err, context.Canceled) || len(found) != 0 {
			t.Errorf("%s: %v, %v after %d looks", pattern, found, err, ctx.looks)
		}
		if ctx.looks > most+10 {
			t.Errorf("%s: it went on for %d looks", pattern, ctx.looks-most)
		}
		if found, err := f.Match(t.Context(), pattern); err != nil || len(found) != 0 {
			t.Errorf("%s: %v, %v", pattern, found, err)
		}
	}
}
