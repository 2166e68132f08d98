package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file may have any name that the system lets it have.
func TestFilesWithForeignNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	name := filepath.Join(b.folder, "gr\xfcn.md")
	if err := os.WriteFile(name, []byte("words"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := b.run("", "turn", "--attach", name, "look"); code != ExitDone || strings.Contains(errs, "refused") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
