package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A file is taken back by its path, and the others stay.
func TestDroppingAFile(t *testing.T) {
	t.Parallel()
	p, _ := plainWith(&farEngine{}, nil)
	p.o.Folder = t.TempDir()
	a, b, c := filepath.Join(p.o.Folder, "a.md"), filepath.Join(p.o.Folder, "b.md"), "https://example.org/c.md"
	p.o.Attach = []string{a, b, c}
	for _, rest := range []string{"a.md", c} {
		if err := p.command(t.Context(), "drop", rest); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{b}, p.o.Attach); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := p.command(t.Context(), "drop", "other.md"); err == nil || len(p.o.Attach) != 1 {
		t.Errorf("error %v, attached %q", err, p.o.Attach)
	}
	if err := p.command(t.Context(), "drop", ""); err != nil || len(p.o.Attach) != 0 {
		t.Errorf("error %v, attached %q", err, p.o.Attach)
	}
}

// A command of a chat on a screen is known here, with what does the same.
func TestCommandsThatNeedAScreen(t *testing.T) {
	t.Parallel()
	p, _ := plainWith(&farEngine{}, nil)
	if err := p.command(t.Context(), "undo", ""); err == nil || err.Error() != "nothing was said yet, and /undo is about a session" {
		t.Errorf("before the first message: %v", err)
	}
	p.o.Session, p.o.Commands = "sess_1", t.TempDir()
	if err := os.WriteFile(filepath.Join(p.o.Commands, "review.md"), []byte("look at it"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"rename": "belay session rename sess_1 TITLE", "skills": "belay skill list", "init": "on a terminal", "review": "on a terminal",
		"undo": "belay session undo sess_1",
	} {
		err := p.command(t.Context(), name, "x")
		f := (*failure)(nil)
		if !errors.As(err, &f) || !strings.HasSuffix(f.hint, want) && !strings.Contains(f.hint, want+",") || !strings.Contains(err.Error(), "needs a screen") {
			t.Errorf("/%s: %v, hint %q", name, err, f.hint)
		}
	}
}
