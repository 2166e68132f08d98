package workspace

import (
	"os"
	"path/filepath"

	"belay/internal/workspace/layout"
)

// marks are what only a project has: belay's own folder, and files of an execution root.
var marks = []string{".belay", "belay.yaml", layout.InitFile, layout.Decomposition, layout.CoordinationFile}

// Enclosing returns the project that encloses dir: the nearest folder from dir upwards
// that has a .belay folder or a file that only an execution root has, and dir itself
// where none does. Both paths are absolute. Where no folder does by the names in dir, those
// count that dir really leads through: a link may lead into a project.
//
// It does not go up to home or to a folder above it: what somebody once did there must
// not widen every later command to all of a person's files.
func Enclosing(dir, home string) string {
	if at, ok := enclosing(dir, home); ok {
		return at
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		if whole, err := filepath.EvalSymlinks(home); err == nil {
			home = whole
		}
		if at, ok := enclosing(real, home); ok {
			return at
		}
	}
	return dir
}

func enclosing(dir, home string) (project string, ok bool) {
	for at := dir; at != home && at != filepath.Dir(at); at = filepath.Dir(at) {
		for _, mark := range marks {
			if _, err := os.Lstat(filepath.Join(at, filepath.FromSlash(mark))); err == nil {
				return at, true
			}
		}
	}
	return "", false
}
