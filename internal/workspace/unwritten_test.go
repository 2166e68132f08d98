package workspace

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// Where a folder may not be written, the error names it and not a temporary file.
func TestUnwritten(t *testing.T) {
	t.Parallel()
	for number, want := range map[error][2]string{
		syscall.EACCES: {"write /p/a: permission denied", "let your user write /p/a"},
		syscall.EPERM:  {"write /p/a: permission denied", "let your user write /p/a"},
		syscall.EROFS:  {"write /p/a: read-only file system", "the disk of /p/a is mounted to be read only"},
		syscall.ENOSPC: {"in: openat .tmp-status: no space left on device", "free disk space or look after the disk"},
	} {
		hint, cause := Unwritten(fmt.Errorf("in: %w", &os.PathError{Op: "openat", Path: ".tmp-status", Err: number}), "/p/a", "try again")
		if cause.Error() != want[0] || !strings.HasPrefix(hint, want[1]) || !strings.HasSuffix(hint, ", then try again") {
			t.Errorf("%v: %v; %s", number, cause, hint)
		}
		if errors.Is(number, os.ErrPermission) && !errors.Is(cause, os.ErrPermission) {
			t.Errorf("%v is no denied permission any more", number)
		}
	}
}
