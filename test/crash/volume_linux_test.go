//go:build crashtest

package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fileSystem is a kind of file system, and how it is made and mounted to keep as
// little as it may of what was not flushed.
type fileSystem struct {
	name    string
	size    int64
	options string
}

// Ext4 otherwise writes its journal every five seconds, and a file that replaces
// another one without a flush.
var fileSystems = []fileSystem{
	{name: "ext4", size: 64 << 20, options: "loop,commit=3600,noauto_da_alloc"},
	{name: "xfs", size: 320 << 20, options: "loop"},
}

// volume is a file system in a file, mounted.
type volume struct {
	kind       fileSystem
	image, dir string
}

// newVolume makes and mounts a file system. Where that cannot be, the test is
// skipped, but not in CI.
func newVolume(t *testing.T, kind fileSystem) *volume {
	t.Helper()
	v := &volume{kind: kind, image: filepath.Join(t.TempDir(), "image"), dir: t.TempDir()}
	must(t, os.WriteFile(v.image, nil, 0o600))
	must(t, os.Truncate(v.image, kind.size))
	t.Cleanup(func() {
		if err := v.unmount(); err != nil && !errors.Is(err, unix.EINVAL) { // which is not mounted
			t.Errorf("unmount: %v", err)
			_ = unix.Unmount(v.dir, unix.MNT_DETACH) // the last resort: it goes with its last open file
		}
	})
	err := system("mkfs."+kind.name, "-q", v.image)
	if err == nil {
		err = v.mount()
	}
	if err != nil {
		cannot(t, err)
	}
	return v
}

// system runs a command of the system.
func system(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

func (v *volume) mount() error {
	return system("mount", "-t", v.kind.name, "-o", v.kind.options, v.image, v.dir)
}

// unmount waits until the loop device is detached. While somebody else has the file
// system mounted, nothing is lost and nothing reaches the image.
func (v *volume) unmount() error {
	switch err := unix.Unmount(v.dir, 0); {
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("%w: open are %q", err, v.open())
	case err != nil:
		return err
	}
	for until := time.Now().Add(patience); v.attached(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			return errors.New("somebody else has the file system mounted")
		}
	}
	return nil
}

// attached reports whether a loop device has the image. The system's device manager
// may look at one for a moment.
func (v *volume) attached() bool {
	devices, _ := filepath.Glob("/sys/block/loop*/loop/backing_file") // the pattern is good
	return slices.ContainsFunc(devices, func(name string) bool {
		image, err := os.ReadFile(name)
		return err == nil && strings.TrimSpace(string(image)) == v.image
	})
}

// remount replays the journal after a cut. Without one it makes everything durable.
func (v *volume) remount(t *testing.T) {
	t.Helper()
	must(t, v.unmount())
	must(t, v.mount())
}

// open lists the files of the volume that this process has open.
func (v *volume) open() (names []string) {
	links, _ := filepath.Glob("/proc/self/fd/*") // the pattern is good
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil && strings.HasPrefix(name, v.dir) {
			names = append(names, name)
		}
	}
	return names
}

// shutdown is the request that ext4 took over from XFS: EXT4_IOC_SHUTDOWN and
// XFS_IOC_GOINGDOWN, _IOR('X', 125, __u32).
const shutdown = 0x8004587d

// cut is what a power cut takes.
type cut int

// The kernel's values. The file system that writes its journal first keeps names
// without data.
const (
	cutAfterJournal cut = 1
	cutNow          cut = 2
)

// shutDown takes the power away: whatever is not on disk is lost, and every call
// fails from now on.
func (v *volume) shutDown(how cut) error {
	d, err := os.Open(v.dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.IoctlSetPointerInt(int(d.Fd()), shutdown, int(how)), d.Close())
}
