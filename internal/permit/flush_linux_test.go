package permit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() { children["flush"] = childFlush }

// withoutFlush makes every fsync of this process fail from now on. Appended lines
// are flushed with fdatasync, which goes on working.
func withoutFlush() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FSYNC, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EIO)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}

// flushed are the steps whose result must be on disk before anybody hears of it.
var flushed = map[string]func(d *Requests, dir string) error{
	"open a store in a new folder": func(_ *Requests, dir string) error {
		d, err := OpenRequests(RequestsOptions{Dir: filepath.Join(dir, "new", "desk")})
		if err == nil {
			_ = d.Close()
		}
		return err
	},
	"answer": func(d *Requests, _ string) error {
		_, err := d.Decide(context.Background(), "sess_1", "dec_1", VerdictAllow, "ann", "")
		return err
	},
	"grant": func(d *Requests, _ string) error {
		g, err := d.prepareGrants(question("dec_1"), Decision{DecisionID: "dec_1", Verdict: VerdictAllowSession})
		if err != nil {
			return err
		}
		return errors.Join(d.note(g), g.lines.Close())
	},
	"audit in a new folder": func(_ *Requests, dir string) error {
		return makeFolder(filepath.Join(dir, "state"))
	},
}

// childFlush takes one of the steps while nothing can be flushed, and says what
// came of it.
func childFlush(args []string) error {
	dir, step := args[0], args[1]
	d, err := OpenRequests(RequestsOptions{Dir: filepath.Join(dir, "desk")})
	if err != nil {
		return err
	}
	if _, err := d.Post(context.Background(), question("dec_1")); err != nil {
		return err
	}
	if err := withoutFlush(); err != nil {
		return err
	}
	if err := flushed[step](d, dir); err != nil {
		fmt.Println("refused")
		return nil
	}
	fmt.Println("acknowledged")
	return nil
}

// Nothing is acknowledged that a power cut could still take: an answer, a grant, or
// the folder that holds them.
func TestNothingIsAcknowledgedBeforeItIsOnDisk(t *testing.T) {
	t.Parallel()
	for step := range flushed {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if said := start(t, "flush", dir, step).hear(t); said != "refused" {
				t.Errorf("without a flush it was %s", said)
			}
			if step != "answer" {
				return
			}
			// Anyone who comes next finds the question, or the answer that is there.
			d := openRequests(t, filepath.Join(dir, "desk"))
			_, answered, err := d.Verdict("dec_1")
			must(t, err)
			if _, err := os.Lstat(filepath.Join(dir, "desk", questionFile("dec_1"))); err != nil && !answered {
				t.Errorf("neither question nor answer: %v", err)
			}
		})
	}
}
