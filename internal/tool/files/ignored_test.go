package files

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIgnoredBelow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".gitignore": "node_modules/\n*.log\n!keep.log\n", "sub/.gitignore": "out\n", ".git/info/exclude": "mine\n", "sub/deep/x": "",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ignored := NewIgnored(root)
	for name, want := range map[string]string{
		"a.go": "", "node_modules/a/b.js": "node_modules", "new/node_modules/x": "new/node_modules", "node_modules": "",
		"a.log": "a.log", "keep.log": "", "sub/out/x": "sub/out", "out/x": "", "sub/deep/out": "sub/deep/out", "mine/x": "mine",
		"nowhere/a.log": "nowhere/a.log",
	} {
		if got := ignored.Below(name); got != want {
			t.Errorf("%s is ignored below %q, want %q", name, got, want)
		}
	}
}
