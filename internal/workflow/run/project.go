package run

import (
	"os"
	"path/filepath"

	"belay/internal/workspace"
)

// ProjectOf is the project of a workflow file for which none was named: the one that
// encloses it, else its own folder. file is absolute.
func ProjectOf(file string) string {
	home, _ := os.UserHomeDir() // without one, nothing is known to be it
	return workspace.Enclosing(filepath.Dir(file), home)
}
