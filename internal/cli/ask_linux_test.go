package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal with a program on it.
type terminal struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd

	mu   sync.Mutex
	seen bytes.Buffer
	done chan struct{}
}

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
		"GORACE=atexit_sleep_ms=0",
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
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
		}
	}); cerr != nil || err != nil {
		t.Skipf("no pseudo-terminal: %v, %v", cerr, err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer slave.Close()
	x := &terminal{t: t, master: master, cmd: exec.Command(path, args...), done: make(chan struct{})}
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
	})
	return x
}

// screen is all that was printed.
func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.ReplaceAll(x.seen.String(), "\r\n", "\n")
}

// shows waits until the screen has the pattern, and returns its first group.
func (x *terminal) shows(pattern string) string {
	x.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	var found []string
	if !x.waits(func() bool {
		found = re.FindStringSubmatch(x.screen())
		return found != nil
	}) {
		x.t.Fatalf("the screen does not show %s; it is:\n%s", pattern, x.screen())
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

// resizes gives the window another size.
func (x *terminal) resizes(columns, rows uint16) {
	x.t.Helper()
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

// ends waits for the program's end and checks its exit code.
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
	}
	<-ended
	if got := x.cmd.ProcessState.ExitCode(); got != code {
		x.t.Fatalf("exit code %d, want %d; the screen:\n%s", got, code, x.screen())
	}
}

const asking = `turns:
  - when: go
    steps:
      - wait: 300ms
      - call: {name: write, input: {path: a.txt, content: "a\n"}}
      - say: The end.
`

func TestAnswersAtTheTerminal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		keys, shows string
		made        bool
	}{
		"yes":           {"y\n", `decided.*allowed by ana$`, true},
		"for a session": {"s\n", `decided.*allowed for the session by ana$`, true},
		"no, and why":   {"n use another name\n", `decided.*denied by ana: use another name$`, false},
		"first nothing": {"perhaps\n\nYES\n", `decided.*allowed by ana$`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, project := onTerminal(t, nil, "turn", "go")
			x.shows(`allow\?\S* \[y = allow, n = deny, s = allow for the session\]`)
			x.types(tt.keys)
			x.shows(tt.shows)
			x.ends(0)
			if told := strings.Contains(x.screen(), "1 call refused\n"); told == tt.made || strings.Contains(x.screen(), "hint:") {
				t.Errorf("the end does not tell what became of the call:\n%s", x.screen())
			}
			if _, err := os.Stat(filepath.Join(project, "a.txt")); (err == nil) != tt.made {
				t.Errorf("the file: %v, want it made: %v", err, tt.made)
			}
		})
	}
}

// A run that waits for a person asks at the terminal where it runs. Several tasks ask one
// after the other, and somebody else may answer.
func TestAnswersARunAtTheTerminal(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, asking, nil, "version")
	x.ends(0)
	const flow = `id: asks
tasks:
  - id: all
    type: collection
    items: [x, y, z]
    mode: parallel
    strategy: best_effort
    task: {id: ask, type: wait, message: "Take {{ .item }}?"}
outputs: {all: "{{ .tasks.all.output | toJson }}"}
`
	if err := os.WriteFile(filepath.Join(project, "asks.yaml"), []byte(flow), 0o600); err != nil {
		t.Fatal(err)
	}
	x = x.another("run", "asks.yaml")
	asked := `(?s)Take (.)\?\n[^\n]*belay decision allow dec_\w+\n[^\n]*deny dec_\w+\n\S*continue\?\S* \[y = continue, n = refuse\] `
	first := x.shows(asked)
	x.types("s\nn " + first + " is too long\n")
	second := x.shows(`(?s)failed.*` + asked)
	x.types("y\n")
	x.shows(`(?s)failed.*done.*` + asked)
	id := strings.TrimSpace(x.shows(`(?s).*belay decision allow (dec_\w+)`))
	other := exec.Command(x.cmd.Path, "decision", "allow", id)
	other.Env = append(x.cmd.Env, "USER=ben")
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	x.ends(0)
	x.shows(first + ` is too long`)
	if first == second {
		t.Errorf("it asked %s twice:\n%s", first, x.screen())
	}
}

// Of what a command changed, a person picks files at the prompt.
func TestPicksFilesAtTheTerminal(t *testing.T) {
	t.Parallel()
	if found, err := machine(); err != nil || !found.Overlay {
		t.Skipf("no overlay here: %v", err)
	}
	const script = `turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "mkdir src; touch a.txt src/b.go src/c.go"}}
      - say: The end.
`
	x, project := playOnTerminal(t, script, nil, "turn", "go")
	x.shows(`o = allow some files`)
	x.types("o\n")
	x.shows(`^\S*3 .*src/c\.go`)
	x.types("o 7\n")
	x.shows(`none of the 3 files is "7"`)
	x.types("o 1 src/c*\n")
	x.shows(`decided.*allowed by ana`)
	x.ends(0)
	for name, want := range map[string]bool{"a.txt": true, "src/b.go": false, "src/c.go": true} {
		if _, err := os.Stat(filepath.Join(project, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it made: %v\n%s", name, err, want, x.screen())
		}
	}
}

// With --json nobody is asked at a terminal either.
func TestNobodyIsAskedInJSON(t *testing.T) {
	t.Parallel()
	x, project := onTerminal(t, nil, "turn", "--json", "go")
	x.shows(`"outcome":"refused"`)
	x.ends(0)
	if _, err := os.Stat(filepath.Join(project, "a.txt")); err == nil || strings.Contains(x.screen(), "permission:request") {
		t.Errorf("the call was made or asked about: %v\n%s", err, x.screen())
	}
}

// What was typed before the question was on the screen does not answer it.
func TestTypedAheadIsNoAnswer(t *testing.T) {
	t.Parallel()
	x, project := onTerminal(t, nil, "turn", "go")
	x.shows(`^\S*model`)
	x.types("y\n")
	x.shows(`allow\?`)
	x.types("n\n")
	x.shows(`decided.*denied by ana$`)
	x.ends(0)
	if _, err := os.Stat(filepath.Join(project, "a.txt")); err == nil {
		t.Error("a key that was pressed too early allowed the call")
	}
}

// The terminal is one of several that may answer.
func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	x, _ := onTerminal(t, nil, "turn", "go")
	id := x.shows(`belay decision allow (dec_\w+)$`)
	x.shows(`allow\?`)
	other := exec.Command(x.cmd.Path, "decision", "allow", id)
	other.Env = append(x.cmd.Env, "USER=ben")
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	x.shows(`decided.*allowed by ben$`)
	x.ends(0)
}

// A diff has colours on a terminal, and none with NO_COLOR.
func TestQuestionColours(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{"COLUMNS=50": `\x1b\[32m\+a\x1b\[0m$`, "NO_COLOR=1": `^ +\+a$`} {
		x, _ := onTerminal(t, []string{env}, "turn", "go")
		x.shows(want)
		x.shows(`allow\?`)
		x.types("y\n")
		x.ends(0)
		if plain := !strings.Contains(x.screen(), "\x1b"); plain != (env == "NO_COLOR=1") {
			t.Errorf("%s: without escapes %v:\n%q", env, plain, x.screen())
		}
	}
}
