package attachment

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// nobody is the user that owns nothing.
const nobody = 65534

// A file without permission is refused. Permissions do not stop root, so for the
// time of the call this thread's file access is that of a user who has none; the
// kernel does the refusing either way.
//
// Covers: attachment-resolver REQ-13
func TestUnreadable(t *testing.T) {
	file := write(t, "secret.txt", []byte("x"))
	folder := filepath.Join(filepath.Dir(file), "closed")
	if err := os.Mkdir(folder, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
	if os.Geteuid() == 0 {
		for dir := filepath.Dir(file); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if _, err := unix.SetfsuidRetUid(0); err != nil {
				t.Error(err)
			}
		}()
	}
	for _, path := range []string{file, filepath.Join(folder, "hidden.txt")} {
		r := resolve(t, Policy{}, path)
		if len(r.Refused) != 1 || r.Refused[0].Code != NotReadable ||
			!strings.Contains(r.Refused[0].Reason, "permission denied") || !strings.Contains(r.Refused[0].Reason, path) {
			t.Errorf("%s: got %+v", path, r)
		}
	}
}
