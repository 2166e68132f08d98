package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
)

func TestUploads(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	project := s.project
	ctx := t.Context()
	path, err := s.SaveUpload(ctx, project, "..plan.txt", strings.NewReader("words"), 5)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "words" || filepath.Base(path) != "plan.txt" {
		t.Errorf("upload at %s: %q, %v", path, got, err)
	}
	if _, err := s.SaveUpload(ctx, project, "big.txt", strings.NewReader("words!"), 5); !fault.Is(err, fault.RequestTooLarge) {
		t.Errorf("one byte too many: %v", err)
	}
	if _, err := s.SaveUpload(ctx, project, "../out.txt", strings.NewReader("x"), 5); err == nil {
		t.Error("a name with a slash was taken")
	}
	dir := filepath.Dir(filepath.Dir(path))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("refused uploads left something: %v, %v", left, err)
	}
}

func TestOldUploadsAreCollected(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	project := s.project
	ctx := t.Context()
	if _, err := s.Create(ctx, project, "P", "direct"); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, name := range []string{"old.txt", "new.txt"} {
		path, err := s.SaveUpload(ctx, project, name, strings.NewReader(name), 100)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	past := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Dir(paths[0]), past, past); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		r, err := s.Upkeep.GC(ctx, GCOptions{BlobAge: 24 * time.Hour, DryRun: dry})
		if err != nil || r.Uploads != 1 {
			t.Errorf("dry %v: %+v, %v", dry, r, err)
		}
		if _, err := os.Stat(paths[0]); (err == nil) != dry {
			t.Errorf("dry %v: the old upload: %v", dry, err)
		}
	}
	if _, err := os.Stat(paths[1]); err != nil {
		t.Errorf("the new upload: %v", err)
	}
}
