package run

import (
	"os"
	"path/filepath"

	"belay/internal/workspace/layout"
)

// marks are what only an execution root has.
var marks = []string{"belay.yaml", layout.InitFile, layout.Decomposition, layout.CoordinationFile}

// ProjectOf is the project of a workflow file for which none was named: the
// execution root that encloses it, else its own folder. file is absolute.
func ProjectOf(file string) string {
	own := filepath.Dir(file)
	for dir := own; ; dir = filepath.Dir(dir) {
		for _, mark := range marks {
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(mark))); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return own
		}
	}
}
