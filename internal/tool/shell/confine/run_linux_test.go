package confine

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sandboxes are the ways of confinement under which everything about processes must
// hold.
var sandboxes = map[string]Options{
	"all":        {},
	"landlock":   {Without: Means{Namespaces: true}},
	"namespaces": {Without: Means{Landlock: true}},
	"none":       {Off: true},
}

// room is a project and a scratch folder.
func room(t testing.TB) Command {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := Command{Project: filepath.Join(dir, "project"), Scratch: filepath.Join(dir, "scratch"), Time: 5 * time.Minute, OutputBytes: 64 << 10}
	for _, d := range []string{c.Project, c.Scratch} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c.Dir = c.Project
	return c
}

func testRunner(o Options) *Runner {
	o.Env = Environment(os.Environ(), nil)
	return New(o)
}

// run runs text and returns what it wrote.
func run(t testing.TB, r *Runner, c Command, text string) (Outcome, string) {
	t.Helper()
	c.Text = text
	o, err := r.Run(t.Context(), c)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o, string(o.Output.Head) + string(o.Output.Tail)
}

func TestReport(t *testing.T) {
	for name, o := range sandboxes {
		rep, err := testRunner(o).Report(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v", name, rep)
	}
}

func TestRunSays(t *testing.T) {
	t.Parallel()
	for name, o := range sandboxes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, c := testRunner(o), room(t)
			for text, want := range map[string]struct {
				code   int
				signal string
				out    string
			}{
				"echo one; echo two >&2; echo three": {0, "", "one\ntwo\nthree\n"},
				"exit 7":                             {7, "", ""},
				"kill -TERM $$":                      {143, "SIGTERM", ""},
				"cat":                                {0, "", ""},
				"read -r x </dev/tty || echo none":   {0, "", "none"},
				"ulimit -c":                          {0, "", "0\n"},
				"cat <(echo sub)":                    {0, "", "sub\n"},
				"pwd":                                {0, "", c.Project + "\n"},
				"echo $HOME:$TMPDIR:$TERM":           {0, "", c.Scratch + "/home:" + c.Scratch + "/tmp:dumb\n"},
				"touch a && mkdir -p d && mv a d/b && ls d":   {0, "", "b\n"},
				"echo x >$TMPDIR/f && cat $TMPDIR/f $HOME/f;": {1, "", "x\n"},
			} {
				o, out := run(t, r, c, text)
				if o.ExitCode != want.code || o.Signal != want.signal || !strings.Contains(out, want.out) {
					t.Errorf("%s: exit %d %s, said %q; want %+v", text, o.ExitCode, o.Signal, out, want)
				}
			}
		})
	}
}

// A supervisor takes no signal from its command. The command begins with every signal
// at its default, whatever belay was started with: nohup ignores SIGHUP, a shell
// ignores SIGINT in the background, a supervisor may block some.
func TestSignals(t *testing.T) {
	t.Parallel()
	for name := range sandboxes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := room(t)
			for _, started := range []string{"plain", "ignoring", "blocking"} {
				const ignore = `if [ $CONFINE_STARTED = ignoring ]; then trap '' HUP INT QUIT TERM PIPE CHLD; fi; exec "$0" "$@"`
				cmd := exec.CommandContext(t.Context(), "sh", "-c", ignore, os.Args[0], "-test.run=^TestHelperSignals$")
				cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "CONFINE_HELPER="+name, "CONFINE_STARTED="+started, "CONFINE_DIR="+filepath.Dir(c.Project))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("belay was started %s: %v\n%s", started, err, out)
				}
			}
		})
	}
}

// TestHelperSignals is belay in TestSignals, with the signals it was started with.
func TestHelperSignals(t *testing.T) {
	name, dir := os.Getenv("CONFINE_HELPER"), os.Getenv("CONFINE_DIR")
	if os.Getenv("CONFINE_STARTED") == "" {
		t.Skip("only run by TestSignals")
	}
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT) // as belay does
	if os.Getenv("CONFINE_STARTED") == "blocking" {
		var mask unix.Sigset_t
		mask.Val[0] = 1<<(unix.SIGHUP-1) | 1<<(unix.SIGINT-1) | 1<<(unix.SIGTERM-1) | 1<<(unix.SIGUSR1-1)
		runtime.LockOSThread() // the thread that starts the supervisor
		defer runtime.UnlockOSThread()
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, &mask, nil); err != nil {
			t.Fatal(err)
		}
	}
	const text = `grep -E '^Sig(Ign|Blk):' /proc/self/status
for s in $(seq 1 64); do case $s in 9|19|32|33|34) ;; *) kill -$s $PPID 2>/dev/null;; esac; done; sleep 0.1; echo alive; exit 7`
	c := Command{Project: dir + "/project", Scratch: dir + "/scratch", Dir: dir + "/project", Time: 5 * time.Minute, OutputBytes: 1000}
	o, out := run(t, testRunner(sandboxes[name]), c, text)
	if o.ExitCode != 7 || !strings.Contains(out, "alive") || strings.Count(out, "\t0000000000000000\n") != 2 {
		t.Errorf("exit %d %s, said %q", o.ExitCode, o.Signal, out)
	}
}

// Starting commands, whose supervisor borrows this process's memory for a moment,
// leaves it closed to others.
func TestStaysClosed(t *testing.T) {
	t.Parallel()
	for name, o := range sandboxes {
		run(t, testRunner(o), room(t), "true")
		if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || dumpable != 0 {
			t.Errorf("%s: dumpable is %d (%v)", name, dumpable, err)
		}
	}
}

// lingerers are the ways in which a command may leave something behind.
var lingerers = map[string]string{
	"background":  `sleep 300 & echo $!`,
	"nohup":       `nohup sleep 300 >/dev/null 2>&1 & echo $!`,
	"setsid":      `setsid sleep 300 & sleep 0.2; pgrep -n sleep || true`,
	"daemon":      `(setsid bash -c 'trap "" HUP TERM INT; exec >/dev/null 2>&1 </dev/null; while :; do sleep 300; done' &) ; sleep 0.1`,
	"double fork": `( ( sleep 300 & ) & ) ; sleep 0.1`,
	"disown":      `sleep 300 & disown; exec >&- 2>&-`,
	"stopped":     `sleep 300 & kill -STOP $!`,
}

// Covers: turn-api REQ-04
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for name, o := range sandboxes {
		for how, text := range lingerers {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				c := room(t)
				o, out := run(t, testRunner(o), c, text)
				if o.Left == 0 || o.TimedOut {
					t.Errorf("left %d, timed out %v, said %q", o.Left, o.TimedOut, out)
				}
				assertNone(t, c.Scratch)
			})
		}
	}
}

// assertNone fails when a process runs whose environment names the scratch.
func assertNone(t *testing.T, scratch string) {
	t.Helper()
	if left := running(t, scratch); len(left) > 0 {
		t.Errorf("these still run: %q", left)
	}
}

// running lists the processes whose environment names the scratch.
func running(t *testing.T, scratch string) (names []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d processes: %v", len(all), err)
	}
	for _, dir := range all {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err == nil && strings.Contains(string(env), scratch+"/home") {
			name, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			names = append(names, dir+" "+string(name))
		}
	}
	return names
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	for name, o := range sandboxes {
		for _, text := range []string{"sleep 300", "trap '' TERM INT HUP; while :; do :; done", "setsid sleep 300 & wait", "exec >&-; sleep 300"} {
			t.Run(name+"/"+text, func(t *testing.T) {
				t.Parallel()
				c := room(t)
				c.Time = 300 * time.Millisecond
				o, _ := run(t, testRunner(o), c, text)
				// On a busy machine starting and ending take seconds; the commands, minutes.
				if !o.TimedOut || o.Took > 4*time.Minute {
					t.Errorf("%+v", o)
				}
				assertNone(t, c.Scratch)
			})
		}
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	for name, o := range sandboxes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := room(t)
			c.Text = "touch began; sleep 300 & sleep 300"
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				defer cancel()
				for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
					if _, err := os.Stat(filepath.Join(c.Project, "began")); err == nil {
						return
					}
				}
				t.Error("it never began")
			}()
			_, err := testRunner(o).Run(ctx, c)
			if err == nil || ctx.Err() == nil {
				t.Errorf("got %v", err)
			}
			assertNone(t, c.Scratch)
		})
	}
}

func TestFlood(t *testing.T) {
	t.Parallel()
	c := room(t)
	c.OutputBytes = 1000
	o, _ := run(t, testRunner(Options{}), c, "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last")
	if n := int64(len(o.Output.Head)+len(o.Output.Tail)) + o.Output.Dropped; n != 6+50000000+1+5 {
		t.Errorf("%d bytes", n)
	}
	if !strings.HasPrefix(string(o.Output.Head), "first\n") || !strings.HasSuffix(string(o.Output.Tail), "\nlast\n") || len(o.Output.Head)+len(o.Output.Tail) != 1000 {
		t.Errorf("kept %d and %d", len(o.Output.Head), len(o.Output.Tail))
	}
}

// TestCrowd multiplies as a fork bomb does, but to a known depth: a bomb in a test
// would be one for whoever runs it should the test fail.
func TestCrowd(t *testing.T) {
	t.Parallel()
	for name, o := range sandboxes {
		o.Limits.Processes = 40
		for how, fork := range map[string]string{"group": "", "sessions": "setsid "} {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				c := room(t)
				c.Text = `export GROW='[ $1 -gt 6 ] || { ` + fork + `bash -c "$GROW" x $(($1+1)) & ` + fork + `bash -c "$GROW" x $(($1+1)) & }; sleep 20'; bash -c "$GROW" x 0`
				o, _ := run(t, testRunner(o), c, c.Text)
				if !o.Crowded {
					t.Errorf("%+v", o)
				}
				assertNone(t, c.Scratch)
			})
		}
	}
}

// Covers: turn-api REQ-04
func TestKilledParent(t *testing.T) {
	t.Parallel()
	for name := range sandboxes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := room(t)
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperRuns$")
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "CONFINE_HELPER="+name, "CONFINE_DIR="+filepath.Dir(c.Project))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for _, mark := range []string{"began", "beat"} {
				waitUntil(t, func() bool { _, err := os.Stat(filepath.Join(c.Project, mark)); return err == nil })
			}
			if len(running(t, c.Scratch)) == 0 {
				t.Error("nothing runs before the kill, as far as this test can see")
			}
			if err := unix.Kill(cmd.Process.Pid, unix.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed
			waitUntil(t, func() bool { return len(running(t, c.Scratch)) == 0 })
		})
	}
}

// TestHelperRuns is the parent that TestKilledParent kills.
func TestHelperRuns(t *testing.T) {
	name, dir := os.Getenv("CONFINE_HELPER"), os.Getenv("CONFINE_DIR")
	if dir == "" {
		t.Skip("only run by TestKilledParent")
	}
	c := Command{
		Project: dir + "/project", Scratch: dir + "/scratch", Dir: dir + "/project", Time: 5 * time.Minute, OutputBytes: 1000,
		Text: `(setsid bash -c 'while :; do date +%N >beat; sleep 0.02; done' &) ; touch began; sleep 300`,
	}
	_, err := testRunner(sandboxes[name]).Run(t.Context(), c)
	t.Fatal("it ended:", err)
}

func waitUntil(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if what() {
			return
		}
	}
	t.Fatal("it never happened")
}

func BenchmarkTrue(b *testing.B) {
	for name, o := range sandboxes {
		b.Run(name, func(b *testing.B) {
			r, c := testRunner(o), room(b)
			run(b, r, c, "true")
			for b.Loop() {
				run(b, r, c, "true")
			}
		})
	}
}
