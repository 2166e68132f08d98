package workspace

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"belay/internal/fault"
)

// systemFolders hold no files but the kernel's: processes with their environment,
// settings of the machine, devices.
var systemFolders = []string{"/proc", "/sys", "/dev"}

// closed refuses a path where no project may be: the root of the file system, which
// holds all that follows, and what is in a folder of the system, any .belay, or a
// private folder, which is belay's own. The path's name counts, and what it really
// leads to. It need not exist. field names it.
func closed(field string, at location, private []string) error {
	var why string
	switch {
	case runtime.GOOS != "windows" && at.isTop():
		why = "is the root of the file system"
	case runtime.GOOS != "windows" && slices.ContainsFunc(systemFolders, at.in):
		why = "is in a folder of the system (/proc, /sys, /dev)"
	case InBelay(at.path), InBelay(at.real), slices.ContainsFunc(private, at.in):
		why = "is in a private folder of belay"
	default:
		return nil
	}
	return fault.New(fault.WorkingRootInaccessible, "%s %s, which never holds a project", field, why).
		With(field, fault.Clip(at.path)).WithHint("choose a folder for the project's own files")
}

// InBelay reports whether path is a .belay folder or is in one.
func InBelay(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if SameName(Fold(part), nameBelay) {
			return true
		}
	}
	return false
}
