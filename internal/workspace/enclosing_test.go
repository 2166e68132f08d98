package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"belay/internal/workspace"
)

func TestEnclosing(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{
		".belay", "plain/below", "project/.belay", "project/docs/deep", "project/inner/_Decomposition", "project/inner/docs",
	} {
		if err := os.MkdirAll(filepath.Join(home, filepath.FromSlash(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"project":            "project",
		"project/docs/deep":  "project",
		"project/inner/docs": "project/inner",
		// A .belay folder at home does not make all of it one project.
		"plain/below": "plain/below",
		"":            "",
	} {
		at := filepath.Join(home, filepath.FromSlash(dir))
		if got := workspace.Enclosing(at, home); got != filepath.Join(home, filepath.FromSlash(want)) {
			t.Errorf("the project of %q is %s, want %q", dir, got, want)
		}
	}
	link := filepath.Join(home, "plain", "link")
	if err := os.Symlink(filepath.Join(home, "project", "docs", "deep"), link); err != nil {
		t.Skipf("skipped: no links here: %v", err)
	}
	if got, err := filepath.EvalSymlinks(filepath.Join(home, "project")); err != nil || workspace.Enclosing(link, home) != got {
		t.Errorf("the project of a link into one is %s, want %s, %v", workspace.Enclosing(link, home), got, err)
	}
}
