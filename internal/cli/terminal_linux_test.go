package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal with a program on it. It keeps all that the program
// printed, and what a person sees of it: a program that draws a screen may send a word in
// parts, with the cursor's moves between them.
type terminal struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd

	mu   sync.Mutex
	seen bytes.Buffer
	view *vt.Emulator
	done chan struct{}
}

// The size of a new window, in cells.
const windowColumns, windowRows = 80, 24

// onTerminal starts belay in a project, with a terminal of its own. Its agent asks
// for a file.
func onTerminal(t *testing.T, env []string, args ...string) (*terminal, string) {
	t.Helper()
	return playOnTerminal(t, asking, env, args...)
}

// playOnTerminal is onTerminal with an agent that does what a script says.
func playOnTerminal(t *testing.T, script string, env []string, args ...string) (*terminal, string) {
	t.Helper()
	home, project := t.TempDir(), t.TempDir()
	file := filepath.Join(home, "script.yaml")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath("belay")
	if err != nil {
		t.Fatal(err)
	}
	env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm", "USER=ana", "BELAY_SCRIPTED_PACE=0", "BELAY_SCRIPTED_SCRIPT=" + file,
		"XDG_STATE_HOME=" + home + "/state", "XDG_CACHE_HOME=" + home + "/cache", "XDG_CONFIG_HOME=" + home + "/config",
	}, env...)
	return startOnTerminal(t, path, project, env, args...), project
}

// another starts belay with other arguments on a terminal of its own, for the same
// user and project.
func (x *terminal) another(args ...string) *terminal {
	x.t.Helper()
	return startOnTerminal(x.t, x.cmd.Path, x.cmd.Dir, x.cmd.Env, args...)
}

// startOnTerminal starts a program with a terminal of its own.
func startOnTerminal(t *testing.T, path, dir string, env []string, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	if cerr := raw.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
		if err == nil {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: windowRows, Col: windowColumns})
		}
	}); cerr != nil || err != nil {
		t.Skipf("no pseudo-terminal: %v, %v", cerr, err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer slave.Close()
	x := &terminal{t: t, master: master, cmd: exec.Command(path, args...), view: vt.NewEmulator(windowColumns, windowRows), done: make(chan struct{})}
	go func() { _, _ = io.Copy(io.Discard, x.view) }() // a terminal that answers no question of the program
	x.cmd.Dir, x.cmd.Env = dir, env
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = slave, slave, slave
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(x.done)
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			x.mu.Lock()
			x.seen.Write(buf[:n])
			_, _ = x.view.Write(buf[:n]) // it never fails
			x.mu.Unlock()
			if err != nil {
				return // the program has closed its side
			}
		}
	}()
	t.Cleanup(func() {
		_ = x.cmd.Process.Kill() // it has ended, where all went well
		_ = master.Close()
		<-x.done
		_ = x.view.InputPipe().(io.Closer).Close() // ends its reader; Close of the view races with it
	})
	return x
}

// screen is all that was printed.
func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.ReplaceAll(x.seen.String(), "\r\n", "\n")
}

// picture is what a person sees now.
func (x *terminal) picture() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.view.String()
}

// shows waits until the pattern was printed or is seen, and returns its first group.
func (x *terminal) shows(pattern string) string {
	x.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	var found []string
	if !x.waits(func() bool {
		if found = re.FindStringSubmatch(x.screen()); found == nil {
			found = re.FindStringSubmatch(x.picture())
		}
		return found != nil
	}) {
		x.t.Fatalf("the screen does not show %s; it is:\n%s\nall that was printed:\n%s", pattern, x.picture(), x.screen())
	}
	return found[len(found)-1]
}

// prints waits until the pattern was printed, by a program that draws no screen, and returns
// its first group. A line that is whole ends with \n; in the picture every line does.
func (x *terminal) prints(pattern string) string {
	x.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	var found []string
	if !x.waits(func() bool { found = re.FindStringSubmatch(x.screen()); return found != nil }) {
		x.t.Fatalf("the program does not print %s, but:\n%s", pattern, x.screen())
	}
	return found[len(found)-1]
}

// waits waits for as long as something comes, which may be slow on a busy machine: it
// gives up after some time of nothing, and in any case after a few times that.
func (x *terminal) waits(done func() bool) bool {
	began, last, came := time.Now(), time.Now(), 0
	for !done() {
		now := time.Now()
		if n := len(x.screen()); n != came {
			last, came = now, n
		}
		if now.Sub(last) > patience || now.Sub(began) > 6*patience {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
	return true
}

func (x *terminal) types(keys string) {
	x.t.Helper()
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// answers presses a key that answers the question which has the keys. A question takes no letter
// in its first moment, and none after another question; who gives it the keys, here after Tab took them, has seen it.
func (x *terminal) answers(key string) { x.t.Helper(); x.types("\t\t" + key) }

// resizes gives the window another size.
func (x *terminal) resizes(columns, rows uint16) {
	x.t.Helper()
	x.mu.Lock()
	x.view.Resize(int(columns), int(rows))
	x.mu.Unlock()
	raw, err := x.master.SyscallConn()
	if err != nil {
		x.t.Fatal(err)
	}
	if cerr := raw.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
	}); cerr != nil || err != nil {
		x.t.Fatal(cerr, err)
	}
}

// ends waits for the program's end, and for all that it printed, and checks its exit code.
func (x *terminal) ends(code int) {
	x.t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = x.cmd.Wait() // the code says it
	}()
	if !x.waits(func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}) {
		_ = x.cmd.Process.Kill() // it is reported below
		_ = x.master.Close()     // a program that it started may hold the other side
	}
	<-ended
	if !x.waits(func() bool {
		select {
		case <-x.done:
			return true
		default:
			return false
		}
	}) {
		x.t.Fatal("the terminal is held open after the program's end")
	}
	if got := x.cmd.ProcessState.ExitCode(); got != code {
		x.t.Fatalf("exit code %d, want %d; the screen:\n%s", got, code, x.screen())
	}
}
