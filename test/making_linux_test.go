package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that is full ends the making of a root with what is to be done, and
// nothing half is left; with room, it goes on to what an undisturbed run makes.
func TestRootOnFullDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	program, err := belay()
	must(t, err)
	p.file("bridge.md", footbridge)
	disk, clean := t.TempDir(), filepath.Join(t.TempDir(), "clean")
	if out, err := p.command("project", "init", clean, "--decomposition", filepath.Join(p.project, "bridge.md")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// Each size stops the run elsewhere; the disk lives as long as the shell.
	const script = `
for inodes in 5 12 20 26 31 36 40; do
	mount -t tmpfs -o nr_inodes=$inodes,mode=777 tmpfs "$1" || exit 77
	"$2" project init "$1/root" --decomposition "$3/bridge.md" > "$3/out" 2>&1
	echo "code $?" >> "$3/log"; cat "$3/out" >> "$3/log"
	find "$1" -name '.tmp-*' >> "$3/left"
	mount -o remount,nr_inodes=1000 "$1" || exit 77
	"$2" project init "$1/root" --decomposition "$3/bridge.md" >> "$3/log" 2>&1 || exit 1
	diff -r "$1/root" "$4" >> "$3/log" || exit 2
	umount "$1"
done`
	sh := exec.Command("/bin/sh", "-c", script, "sh", disk, program, p.project, clean)
	sh.Env = p.env
	sh.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		sh.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
	}
	out, err := sh.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(p.project, "log"))
	if err != nil && (sh.ProcessState == nil || sh.ProcessState.ExitCode() == 77) {
		t.Skipf("skipped: this system does not let the test mount a small disk: %s", out)
	}
	must(t, err)
	text := string(log)
	if left, err := os.ReadFile(filepath.Join(p.project, "left")); err != nil || len(left) > 0 {
		t.Errorf("left over: %s, %v", left, err)
	}
	if n := strings.Count(text, "(STORAGE_FAILURE)\nhint: free disk space and run it again; it goes on where it stopped\n"); n < 5 {
		t.Errorf("%d runs told of a full disk:\n%s", n, text)
	}
}
