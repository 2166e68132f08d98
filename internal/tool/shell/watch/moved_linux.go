package watch

import (
	"os"
	"strconv"
	"strings"
)

// moveBack renames the folder that root has open back to where it was, and
// reports whether it did. The kernel knows an open folder's place.
func moveBack(root *os.Root, project string) bool {
	f, err := root.Open(".")
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	now, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil || strings.HasSuffix(now, " (deleted)") {
		return false
	}
	return os.Rename(now, project) == nil
}
