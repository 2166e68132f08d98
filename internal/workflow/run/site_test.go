package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/fault"
)

// TestFolderNotOpened: the folder of a workflow file that cannot be opened has a next step
// of its own.
func TestFolderNotOpened(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := (&Runner{}).site(file, "", "")
	if f := fault.From(err); f.Type != fault.InvalidWorkflow || !strings.Contains(f.NextStep(), "a folder that can be opened") {
		t.Errorf("%v; %s", err, f.NextStep())
	}
}
