package overlay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"
)

// counted is an entry that counts how often anyone asks for its name.
type counted struct {
	fs.DirEntry
	name  string
	asked *int
}

func (c counted) Name() string { *c.asked++; return c.name }

// The time to compare a folder of the project with one that a command made anew grows with the
// entries of both, not with their product, and ends with its context.
func TestHiddenByManyFiles(t *testing.T) {
	t.Parallel()
	lower, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer lower.Close()
	const files = 500
	asked := 0
	var entries []fs.DirEntry
	for i := range files {
		name := fmt.Sprintf("%03d", i)
		if err := lower.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, counted{name: name, asked: &asked})
	}
	w := &walk{u: &Upper{}, ctx: t.Context()}
	if err := w.hidden(slices.Delete(slices.Clone(entries), 7, 8), lower, "."); err != nil || len(w.gone) != 1 || w.gone[0].Path != "007" {
		t.Errorf("%+v is gone, %v", w.gone, err)
	}
	if asked > 20*files {
		t.Errorf("%d names were looked at for %d files", asked, files)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w = &walk{u: &Upper{}, ctx: ctx}
	if err := w.hidden(entries, lower, "."); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}
