package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"belay/internal/fault"
)

// systemFolders hold no files but the kernel's: processes with their environment,
// settings of the machine, devices.
var systemFolders = []string{"/proc", "/sys", "/dev"}

// closed refuses a path in a folder where no project may be: a folder of the
// system, any .belay, and the private folders, which are belay's own. The path's
// name counts, and what it really leads to. It need not exist. The path is clean,
// and field names it.
func closed(field, path string, private []string) error {
	var why string
	switch {
	case inAny(path, systemFolders) && runtime.GOOS != "windows":
		why = "is in a folder of the system (/proc, /sys, /dev)"
	case inAny(path, private), inBelay(path):
		why = "is in a private folder of belay"
	default:
		return nil
	}
	return fault.New(fault.WorkingRootInaccessible, "%s %s, which never holds a project", field, why).
		With(field, shown(path)).WithHint("choose a folder for the project's own files")
}

func inAny(path string, folders []string) bool {
	for _, folder := range folders {
		if folder = filepath.Clean(folder); inside(path, folder) || inside(nearest(path), folder) {
			return true
		}
	}
	return false
}

// inBelay reports whether path is a .belay folder or lies in one.
func inBelay(path string) bool {
	places := []string{path}
	if real, err := filepath.EvalSymlinks(nearest(path)); err == nil {
		places = append(places, real)
	}
	for _, place := range places {
		for _, part := range strings.Split(filepath.ToSlash(place), "/") {
			if SameName(Fold(part), nameBelay) {
				return true
			}
		}
	}
	return false
}

// nearest is path, or where that does not exist, its nearest ancestor that does.
func nearest(path string) string {
	for filepath.Dir(path) != path {
		if _, err := os.Stat(path); err == nil {
			break
		}
		path = filepath.Dir(path)
	}
	return path
}
