package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"belay/internal/tool/mcp/mcptest"
	"belay/internal/tool/shell"
	"belay/test/program"
)

func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){
		"mcptest":  func() { os.Exit(mcptest.Main()) },
		"belay-at": func() { os.Exit(mainAt(os.Args)) },
	})
}

// suite runs the tests with belay in PATH as people get it: the thousands of commands of the
// scripts would take three times as long with the race detector.
//
// Its process hears SIGHUP and SIGINT. Anyone who runs the tests may have them ignored (nohup,
// a script's background), and the programs that tests start would inherit that. A signal that
// is heard is not inherited.
type suite struct{ m *testing.M }

func (s suite) Run() int {
	dir, err := os.MkdirTemp("", "belay-cli-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if _, err := program.Build(context.Background(), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		panic(err)
	}
	ignored := map[os.Signal]bool{}
	for _, each := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		ignored[each] = signal.Ignored(each)
	}
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt, syscall.SIGHUP)
	go func() {
		for received := range heard {
			if !ignored[received] {
				os.Exit(2)
			}
		}
	}()
	return s.m.Run()
}

// TestScripts plays the sessions in testdata: one file per behaviour, each in a
// home of its own, with the real program in real processes.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"capture": capture,
			"spawn":   spawn,
			"await":   await,
			"signal":  sendSignal,
			"insist":  insist,
			"reap":    reap,
			"web":     web,
			"replies": replies,
			"draw":    draw,
		},
	})
}

// condition tells scripts what the machine has: [overlay] is set where commands work on
// an overlay in namespaces of their own. In CI every Linux machine must have that: nothing
// is skipped there.
func condition(name string) (bool, error) {
	if name != "overlay" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	found, err := machine()
	if err == nil && !found.Overlay && runtime.GOOS == "linux" && os.Getenv("CI") != "" {
		err = fmt.Errorf("in CI no script may be skipped, and there is no overlay: %q", found.Reasons)
	}
	return found.Overlay, err
}

// machine is what this machine holds of commands.
var machine = sync.OnceValues(func() (shell.Report, error) {
	return shell.New(shell.Options{}).Report(context.Background())
})

// setup gives a script its own home and an empty project to begin in.
func setup(e *testscript.Env) error {
	project := filepath.Join(e.WorkDir, "p")
	home := filepath.Join(e.WorkDir, "home")
	for _, dir := range []string{project, home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	e.Cd = project
	e.Setenv("HOME", home)
	for _, name := range []string{"CONFIG", "STATE", "CACHE"} {
		e.Setenv("XDG_"+name+"_HOME", filepath.Join(home, name))
	}
	e.Setenv("BELAY_SCRIPTED_PACE", "0")
	e.Setenv("TZ", "UTC")
	e.Setenv("USER", "somebody")
	c := &children{running: map[string]*exec.Cmd{}}
	e.Values[childrenKey{}] = c
	e.Defer(c.killAll)
	return nil
}

// patience bounds every wait of a script; it is only reached when something is
// broken.
const patience = 5 * time.Minute

// exits runs a program and checks its exit code: exits CODE PROGRAM ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	checkCode(ts, args[0], err)
}

func checkCode(ts *testscript.TestScript, want string, err error) {
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

// capture takes the first group of a pattern out of a file into a variable:
// capture NAME PATTERN stdout|stderr|FILE
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: capture NAME PATTERN FILE")
	}
	m := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile(args[2]))
	if len(m) != 2 {
		ts.Fatalf("%s has no %s", args[2], args[1])
	}
	ts.Setenv(args[0], m[1])
}

// web serves a folder over HTTP for the script's time, its address in a variable and
// its host and port in the one with _HOST: web NAME DIR. A path below /-/to/ redirects
// to what follows, one below /-/says/N/ is said to have N bytes more than it has, and
// one below /-/together/N/ comes once N such are asked for at one time. At /-/bytes/N
// is text of N bytes.
func web(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: web NAME DIR")
	}
	dir := ts.MkAbs(args[1])
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("/-/to/{path...}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/"+r.PathValue("path"), http.StatusFound)
	})
	mux.HandleFunc("/-/says/{more}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		data, err := fs.ReadFile(os.DirFS(dir), r.PathValue("path"))
		more, err2 := strconv.Atoi(r.PathValue("more"))
		if err := errors.Join(err, err2); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(data)+more))
		_, _ = w.Write(data)
	})
	mux.HandleFunc("/-/together/{n}/{path...}", together(dir))
	mux.HandleFunc("/-/bytes/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("n"))
		if err != nil || n < 0 {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(bytes.Repeat([]byte("x"), n))
	})
	s := httptest.NewServer(mux)
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
	ts.Setenv(args[0]+"_HOST", s.Listener.Addr().String())
}

// together answers with files of dir once so many are asked for at one time.
func together(dir string) http.HandlerFunc {
	all, once := make(chan struct{}), sync.Once{}
	var asked atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		if n, err := strconv.Atoi(r.PathValue("n")); err == nil && int(asked.Add(1)) >= n {
			once.Do(func() { close(all) })
		}
		select {
		case <-all:
			http.ServeFileFS(w, r, os.DirFS(dir), r.PathValue("path"))
		case <-r.Context().Done():
		case <-time.After(patience):
			http.Error(w, "the others were not asked for", http.StatusGatewayTimeout)
		}
	}
}

type childrenKey struct{}

// children are the processes that a script has started and not yet reaped.
type children struct {
	mu      sync.Mutex
	running map[string]*exec.Cmd
}

func (c *children) killAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cmd := range c.running {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

func childrenOf(ts *testscript.TestScript) *children {
	return ts.Value(childrenKey{}).(*children)
}

// spawn starts belay beside the script, its output in $WORK/NAME.out and
// $WORK/NAME.err: spawn NAME ARGS...
func spawn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: spawn NAME ARGS...")
	}
	path, err := exec.LookPath("belay")
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{
		"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR", "TMP", "SYSTEMROOT",
		"BELAY_SCRIPTED_PACE", "BELAY_SCRIPTED_SCRIPT", "COLUMNS",
	} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	for _, name := range []string{"ANTHROPIC_API_KEY", "CHIRALITY_ANTHROPIC_API_KEY", "OPENAI_API_KEY", "BELAY_PERMIT_DENY", "BELAY_WORKFLOW_PARALLEL", "BELAY_DISCORD_TOKEN"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	out, err := os.Create(filepath.Join(ts.Getenv("WORK"), args[0]+".out"))
	ts.Check(err)
	errs, err := os.Create(filepath.Join(ts.Getenv("WORK"), args[0]+".err"))
	ts.Check(err)
	cmd.Stdout, cmd.Stderr = out, errs
	ts.Check(cmd.Start())
	ts.Check(errors.Join(out.Close(), errs.Close())) // the child has its own
	c := childrenOf(ts)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[args[0]] = cmd
}

// await waits until a file matches a pattern: await FILE PATTERN
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE PATTERN")
	}
	pattern, path := regexp.MustCompile("(?m)"+args[1]), ts.MkAbs(args[0])
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(path)
		if err == nil && pattern.Match(data) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s does not match %s in %v; it is:\n%s", args[0], args[1], patience, data)
		}
	}
}

// sendSignal sends a signal to a spawned process: signal NAME INT|TERM|KILL|STOP
func sendSignal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || signalNames[args[1]] == nil {
		ts.Fatalf("usage: signal NAME INT|TERM|KILL|STOP")
	}
	process := child(ts, args[0]).Process
	ts.Check(process.Signal(signalNames[args[1]]))
	if args[1] == "STOP" {
		awaitStopped(ts, process.Pid)
	}
}

// awaitStopped waits until a process stands still, where the system tells: the
// signal alone is only on its way.
func awaitStopped(ts *testscript.TestScript, pid int) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return // no such files here
		}
		// The state follows the program's name, which is in brackets.
		if i := bytes.LastIndexByte(stat, ')'); i >= 0 && bytes.HasPrefix(stat[i:], []byte(") T")) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("process %d does not stop: %s", pid, stat)
		}
	}
}

// insist sends a signal for the second time, and again until the process has
// ended: two that come close together may be one to it. It must be the signal
// that ended it: insist NAME INT|TERM
func insist(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || signalNames[args[1]] == nil {
		ts.Fatalf("usage: insist NAME INT|TERM")
	}
	cmd := child(ts, args[0])
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	end := time.After(patience)
	for {
		select {
		case err := <-ended:
			forgetChild(ts, args[0])
			checkCode(ts, "-1", err) // by a signal
			return
		case <-again.C:
			_ = cmd.Process.Signal(signalNames[args[1]]) // it may have ended just now
		case <-end:
			_ = cmd.Process.Kill()
			<-ended
			forgetChild(ts, args[0])
			ts.Fatalf("%s did not end in %v", args[0], patience)
		}
	}
}

func forgetChild(ts *testscript.TestScript, name string) {
	c := childrenOf(ts)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, name)
}

func child(ts *testscript.TestScript, name string) *exec.Cmd {
	c := childrenOf(ts)
	c.mu.Lock()
	defer c.mu.Unlock()
	cmd := c.running[name]
	if cmd == nil {
		ts.Fatalf("no spawned process is called %s", name)
	}
	return cmd
}

// reap waits for a spawned process and checks its exit code, or that a signal
// killed it: reap NAME CODE|killed
func reap(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: reap NAME CODE|killed")
	}
	cmd := child(ts, args[0])
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !timer.Stop() {
		err = fmt.Errorf("%s did not end in %v", args[0], patience)
	}
	forgetChild(ts, args[0])
	if args[1] == "killed" {
		args[1] = "-1"
	}
	checkCode(ts, args[1], err)
}
