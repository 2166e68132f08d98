package permit

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A log that nobody can write to, as in a backup, can be verified.
func TestVerifyReadOnly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can mount what this needs")
	}
	dir := t.TempDir()
	a, err := OpenAudit(filepath.Join(dir, "audit.jsonl"), nil)
	must(t, err)
	for range 3 {
		must(t, a.Append(t.Context(), Entry{SessionID: "sess_1"}))
	}
	must(t, os.Remove(filepath.Join(dir, "audit.jsonl.lock")))
	must(t, unix.Mount(dir, dir, "", unix.MS_BIND, ""))
	t.Cleanup(func() { must(t, unix.Unmount(dir, 0)) })
	must(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""))
	if n, err := a.Verify(t.Context()); n != 3 || err != nil {
		t.Errorf("%d lines, %v", n, err)
	}
}
