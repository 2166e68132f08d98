package shell

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
)

var update = flag.Bool("update", false, "write docs/sandbox.md")

// sandbox is a way of confinement under which the escapes are tried.
type sandbox struct {
	name    string
	options Options
	// write is set where the attempts say that they change the project.
	write bool
}

var escapeSandboxes = []sandbox{
	{name: "everything"},
	{name: "without an overlay", options: Options{Without: confine.Means{Overlay: true}}},
	{name: "without namespaces", options: Options{Without: confine.Means{Namespaces: true}}},
	{name: "without namespaces, with write", options: Options{Without: confine.Means{Namespaces: true}}, write: true},
	{name: "without Landlock", options: Options{Without: confine.Means{Landlock: true}}},
	{name: "the filter alone", options: Options{Without: confine.Means{Landlock: true, Namespaces: true}}},
	{name: "switched off", options: Options{Off: true}},
}

// The sandboxes as a set, by their letters: those that must hold an attempt.
const (
	always    = "EonwWFS"
	confined  = "EonwWF"
	landlock  = "Eonw"
	byFiles   = "EonwW" // Landlock or namespaces
	project   = "EonW"  // the project does not change at once
	namespace = "EoW"
	never     = ""
)

func (c sandbox) letter() string {
	return map[string]string{
		"everything": "E", "without an overlay": "o", "without namespaces": "n", "without namespaces, with write": "w",
		"without Landlock": "W", "the filter alone": "F", "switched off": "S",
	}[c.name]
}

// escape is one attempt. It got through where it says "ESCAPED" or tells the
// secret, or where after says so.
type escape struct {
	what   string
	script string
	held   string // the sandboxes that must hold it
	// root overrides held for a server that is root's.
	root string
	// after looks whether it got through when that cannot be heard.
	after func(s *scene) bool
}

// escapes are attempts on what an agent must not reach. $V is the process that
// stands for the server, $PORT its port, $OUT a folder outside the project with
// the state folder, the user's home and sockets, $PROBE the program that makes
// system calls.
var escapes = []escape{
	{what: "connect to the server's port (/dev/tcp)", held: landlock, script: `exec 3<>/dev/tcp/127.0.0.1/$PORT && echo ESCAPED`},
	{what: "connect to the server's port (curl)", held: landlock, script: `curl -s -m 50 http://127.0.0.1:$PORT/; [ $? = 52 -o $? = 56 ] && echo ESCAPED`},
	{what: "connect by the first data (TCP fast open)", held: confined, script: `$PROBE fastopen $PORT`},
	{what: "connect by a relative of TCP (MPTCP)", held: confined, script: `$PROBE mptcp $PORT`},
	{what: "send UDP to a port of the machine", held: never, script: `echo x >/dev/udp/127.0.0.1/$UDP && echo ESCAPED`},
	{what: "connect to the session bus or Docker (a socket by path)", held: confined, script: `$PROBE unix $OUT/run/bus`},
	{what: "connect to an abstract socket", held: "EonwF", script: `$PROBE unix @$OUT/run/bus`},
	{what: "read the operator's token", held: byFiles, script: `cat $OUT/state/operator.token`},
	{what: "answer a decision in the state folder", held: byFiles, script: `echo allow >$OUT/state/verdict && echo ESCAPED`},
	{what: "read ~/.ssh", held: byFiles, script: `cat $OUT/home/.ssh/id`},
	{what: "find out whether a file outside exists", held: namespace, script: `[ -s $OUT/home/precious ] && echo ESCAPED`},
	{what: "write into the user's home", held: byFiles, script: `echo x >>$OUT/home/.bashrc && echo ESCAPED`},
	{what: "cut a file outside to nothing", held: byFiles, script: `$PROBE truncate $OUT/home/precious`},
	{what: "change permissions outside", held: project, script: `chmod 777 $OUT/home && echo ESCAPED`},
	{what: "follow a link out of the project", held: byFiles, script: `ln -s $OUT/state link; cat link/operator.token`},
	{what: "leave a link that leads out", held: project, script: `ln -s $OUT/home lure`, after: func(s *scene) bool { return s.exists("lure") }},
	{what: "make a hard link to a file outside", held: byFiles, script: `ln $OUT/state/operator.token hard && cat hard`},
	{what: "rename a folder outside into the project", held: byFiles, script: `mv $OUT/home/.ssh stolen && cat stolen/id`},
	{what: "read the server's environment", held: always, script: `tr '\0' '\n' </proc/$V/environ`},
	{what: "reach files through the server's process", held: always, script: `cat /proc/$V/cwd/secret /proc/$V/root/$OUT/state/operator.token`},
	{what: "see the arguments of other processes", held: namespace, script: `tr '\0' ' ' </proc/$V/cmdline | grep -q visible && echo ESCAPED`},
	{what: "trace the server", held: always, script: `$PROBE ptrace $V`},
	{what: "signal the server", held: byFiles, script: `kill -USR1 $V && echo ESCAPED`},
	{what: "look for keys in the environment", held: always, script: `env; env | base64 -w0; set`},
	{what: "find code of others in the environment", held: always, script: `env | grep -E '^(LD_PRELOAD|BASH_ENV|GIT_SSH|PYTHONPATH)=' && echo ESCAPED`},
	{what: "write into .belay", held: project, script: `echo forged >>.belay/sessions/s/log`, after: func(s *scene) bool { return s.holds(".belay/sessions/s/log", "forged") }},
	{what: "read .belay", held: namespace, script: `cat .belay/sessions/s/log`},
	{what: "change _STATUS.md", held: project, script: `echo forged >_STATUS.md`, after: func(s *scene) bool { return s.holds("_STATUS.md", "forged") }},
	{what: "change _STATUS.md by its folder", held: project, script: `mkdir d && mv _STATUS.md d/ && echo forged >d/_STATUS.md && ln -s d/_STATUS.md _STATUS.md`, after: func(s *scene) bool {
		return s.holds("_STATUS.md", "forged") || s.exists("d/_STATUS.md")
	}},
	{what: "plant a Git hook", held: project, script: `echo evil >.git/hooks/pre-commit; git config core.fsmonitor evil || echo '[core] fsmonitor = evil' >>.git/config`, after: func(s *scene) bool {
		return s.exists(".git/hooks/pre-commit") || s.holds(".git/config", "evil")
	}},
	{what: "move the project away", held: byFiles, script: `mv "$PWD" "$PWD.moved"`, after: func(s *scene) bool { return !s.holds("_STATUS.md", "state") }},
	{what: "remove the project", held: project, script: `rm -rf "$PWD"`, after: func(s *scene) bool { return !s.holds("_STATUS.md", "state") }},
	{what: "mount a filesystem", held: always, script: `mkdir -p m; $PROBE mount $PWD/m`},
	{what: "mount one in a user namespace", held: confined, root: always, script: `unshare -Urm sh -c 'mount -t tmpfs x /mnt && echo ESCAPED'`},
	{what: "make a namespace", held: always, script: `$PROBE unshare 0`},
	{what: "use io_uring", held: confined, script: `$PROBE uring 0`},
	{what: "gain rights by a setuid program", held: always, script: `grep -q 'NoNewPrivs:.1' /proc/self/status || echo ESCAPED`},
	{what: "have capabilities", held: always, script: `grep -E 'Cap(Prm|Eff|Amb)' /proc/self/status | grep -v 0000000000000000 && echo ESCAPED`},
	{what: "change a setting of the kernel", held: always, root: byFiles, script: `v=$(cat /proc/sys/vm/swappiness) && echo "$v" >/proc/sys/vm/swappiness && echo ESCAPED`},
	{what: "make a device", held: always, script: `mknod disk b 8 0 && echo ESCAPED`},
	{what: "read what is root's in /etc", held: always, root: byFiles, script: `grep -q root /etc/shadow && echo ESCAPED`},
	{what: "leave a process behind", held: always, script: `(setsid $PROBE linger $TMPDIR/alive >/dev/null 2>&1 &); until [ -s $TMPDIR/alive ]; do sleep 0.01; done`, after: func(s *scene) bool {
		return s.locked("alive")
	}},
}

// secret is in everything that must not be told.
const secret = "s3cr3t-0f-the-0perat0r"

// scene is a project with everything around it that an attempt is made on.
type scene struct {
	base  string
	shell *Shell
	place *tool.Environment
	env   []string
}

func (s *scene) at(name string) string { return filepath.Join(s.place.Project, name) }

func (s *scene) exists(name string) bool {
	_, err := os.Lstat(s.at(name))
	return err == nil
}

func (s *scene) holds(name, text string) bool {
	data, err := os.ReadFile(s.at(name))
	return err == nil && strings.Contains(string(data), text)
}

// locked reports whether a process holds the lock of a file that an attempt made.
func (s *scene) locked(name string) bool {
	f, err := os.Open(filepath.Join(s.place.Scratch, "tmp", name))
	if err != nil {
		return true // what was not made proves nothing
	}
	defer func() { _ = f.Close() }()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
}

// newScene makes a folder with everything around a project, and what stands for
// the server.
func newScene(t *testing.T, c sandbox) *scene {
	t.Helper()
	base, err := os.MkdirTemp("", "belay-escape-*")
	must(t, err)
	base, err = filepath.EvalSymlinks(base)
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(base)) })
	s := &scene{base: base}
	must(t, os.Mkdir(filepath.Join(base, "run"), 0o700))
	must(t, os.WriteFile(filepath.Join(base, "secret"), []byte(secret), 0o600))
	s.startVictim(t)
	self, err := os.Executable()
	must(t, err)
	o := c.options
	o.ReadPaths, o.Environ, o.EnvNames = []string{self}, s.env, []string{"V", "PORT", "UDP", "OUT", "PROBE"}
	s.shell = newShell(t, base, o)
	return s
}

// set puts everything into its place, whatever the last attempt made of it.
func (s *scene) set(t *testing.T) {
	t.Helper()
	for _, name := range []string{"project", "project.moved", "home", "scratch", "state"} {
		must(t, os.RemoveAll(filepath.Join(s.base, name)))
	}
	for name, text := range map[string]string{
		"state/operator.token": secret, "home/.ssh/id": secret, "home/.bashrc": "", "home/precious": "x",
		"project/.belay/sessions/s/log": secret, "project/_STATUS.md": "state", "project/.git/config": "[core]\n", "project/.git/hooks/x.sample": "",
		"project/.git/HEAD": "ref: refs/heads/main\n", "project/.git/objects/x": "", "project/.git/refs/x": "",
	} {
		p := filepath.Join(s.base, name)
		must(t, os.MkdirAll(filepath.Dir(p), 0o700))
		must(t, os.WriteFile(p, []byte(text), 0o600))
	}
	s.place = newPlace(t, s.base)
}

// noSleep keeps programs that find races from sleeping at their end.
const noSleep = "GORACE=atexit_sleep_ms=0"

// startVictim starts what stands for the server, and ends it with the test.
func (s *scene) startVictim(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], roleArg, filepath.Join(s.base, "run", "bus"), "visible")
	cmd.Env = []string{roleVar + "=victim", noSleep, "ANTHROPIC_API_KEY=" + secret}
	cmd.Dir = s.base
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error("the server did not survive:", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	ports := strings.Fields(line)
	self, err := os.Executable()
	must(t, err)
	s.env = []string{
		"V=" + fmt.Sprint(cmd.Process.Pid), "PORT=" + ports[0], "UDP=" + ports[1], "OUT=" + s.base,
		"PROBE=env " + noSleep + " " + roleVar + "=probe " + self + " " + roleArg,
		"ANTHROPIC_API_KEY=" + secret, "LD_PRELOAD=", "BASH_ENV=" + filepath.Join(s.base, "home", ".bashrc"), "PATH=" + os.Getenv("PATH"),
	}
}

// try makes an attempt and reports whether it got through, and was told.
func (s *scene) try(t *testing.T, e escape, write bool) (through, told bool) {
	t.Helper()
	s.set(t)
	r, err := callShell(t, s.shell, s.place, input{Command: e.script, TimeoutMS: 60_000, Write: write})
	if _, ok := tool.AsRefusal(err); err != nil && !ok {
		t.Errorf("%s: %v", e.what, err)
	}
	if e.after != nil {
		return e.after(s), r.Overreach != ""
	}
	return strings.Contains(r.Text, escaped) || strings.Contains(r.Text, secret), r.Overreach != ""
}

// tried is the answer of one user: per attempt, the letters of the sandboxes that
// held it, and after toldMark those of the sandboxes that told of it.
type tried map[string]string

const toldMark = "told of: "

// TestEscapes tries to get out, in every sandbox, as this user and, for root, as an
// ordinary one.
//
// Covers: turn-api REQ-04
func TestEscapes(t *testing.T) {
	if os.Getenv(roleVar) == "nobody" {
		t.Skip("the other user's part is TestEscapesAsNobody")
	}
	mine := tryAll(t)
	if os.Geteuid() != 0 {
		return
	}
	theirs := asNobody(t)
	if !t.Failed() && machineIsWhole(t) {
		checkPage(t, mine, theirs)
	}
}

// tryAll makes all attempts in all sandboxes, one sandbox beside the other.
func tryAll(t *testing.T) tried {
	var mu sync.Mutex
	held := tried{}
	t.Run("in", func(t *testing.T) {
		for _, c := range escapeSandboxes {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				s := newScene(t, c)
				if through, _ := s.try(t, escape{script: `$PROBE nothing 0`}, c.write); !through {
					t.Fatal("the attempts cannot be made") // and would all seem to be held
				}
				for _, e := range escapes {
					t.Run(e.what, func(t *testing.T) {
						through, told := s.try(t, e, c.write)
						if must := e.mustHold(c); through == must {
							t.Errorf("got through: %v, must be held: %v", through, must)
						}
						mu.Lock()
						defer mu.Unlock()
						switch {
						case !through:
							held[e.what] += c.letter()
						case told:
							held[toldMark+e.what] += c.letter()
						}
					})
				}
			})
		}
	})
	return held
}

// mustHold reports whether a sandbox must hold the attempt, for this user.
func (e escape) mustHold(c sandbox) bool {
	by := e.held
	if e.root != "" && os.Geteuid() == 0 {
		by = e.root
	}
	return strings.Contains(by, c.letter())
}

// asNobody makes the attempts once more as a user who owns nothing.
func asNobody(t *testing.T) (theirs tried) {
	t.Helper()
	if answer := testAsNobody(t, "TestEscapesAsNobody"); answer != nil {
		must(t, json.Unmarshal(answer, &theirs))
	}
	return theirs
}

// nobodysGroup is another group of the user who owns nothing.
const nobodysGroup = 65533

// testAsNobody runs a test of this program as a user who owns nothing, and returns
// what it wrote to the file BELAY_TEST_ANSWER; nil where it failed.
func testAsNobody(t *testing.T, test string) []byte {
	t.Helper()
	dir, err := os.MkdirTemp("", "belay-nobody-*")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	must(t, os.Chmod(dir, 0o777)) //nolint:gosec // the other user makes files here
	self := filepath.Join(dir, "test")
	from, err := os.Open(os.Args[0])
	must(t, err)
	defer func() { _ = from.Close() }()
	// A process that another test starts meanwhile would hold the program open for
	// writing, and such a one cannot be run.
	syscall.ForkLock.RLock()
	to, err := os.OpenFile(self, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err == nil {
		_, err = io.Copy(to, from)
		err = errors.Join(err, to.Close())
	}
	syscall.ForkLock.RUnlock()
	must(t, err)
	answer := filepath.Join(dir, "answer")
	const nobody = 65534
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), noSleep, roleVar+"=nobody", "BELAY_TEST_ANSWER="+answer, "TMPDIR="+dir, "HOME="+dir)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody, Groups: []uint32{nobodysGroup}}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as an ordinary user: %v\n%s", err, out)
		return nil
	}
	data, err := os.ReadFile(answer)
	if !errors.Is(err, os.ErrNotExist) {
		must(t, err)
	}
	return data
}

// TestEscapesAsNobody is the part of [TestEscapes] that runs as another user.
func TestEscapesAsNobody(t *testing.T) {
	if os.Getenv(roleVar) != "nobody" {
		t.Skip("only run by TestEscapes")
	}
	data, err := json.Marshal(tryAll(t))
	must(t, err)
	must(t, os.WriteFile(os.Getenv("BELAY_TEST_ANSWER"), data, 0o600))
}

// machineIsWhole reports whether this machine has all means, so that the page
// can be compared.
func machineIsWhole(t *testing.T) bool {
	r, err := shared.Report(t.Context())
	must(t, err)
	return r.Landlock >= 7 && r.Namespaces && r.Filter
}

// checkPage compares docs/sandbox.md with what was tried.
func checkPage(t *testing.T, root, user tried) {
	t.Helper()
	const page = "../../../docs/sandbox.md"
	text := sandboxPage(root, user)
	if *update {
		must(t, os.WriteFile(page, []byte(text), 0o644))
		return
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != text {
		t.Errorf("docs/sandbox.md is not what was tried (%v): go test ./internal/tool/shell -run TestEscapes -update", err)
	}
}

func sandboxPage(root, user tried) string {
	var b strings.Builder
	b.WriteString(pageHead)
	b.WriteString("| attempt |")
	for _, c := range escapeSandboxes {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(escapeSandboxes)) + "\n")
	for _, e := range escapes {
		b.WriteString("| " + e.what + " |")
		for _, c := range escapeSandboxes {
			in := func(who tried, what string) bool { return strings.Contains(who[what], c.letter()) }
			said := verdict(in(root, e.what), in(user, e.what))
			if in(root, toldMark+e.what) && in(user, toldMark+e.what) {
				said = "told"
			}
			b.WriteString(" " + said + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func verdict(root, user bool) string {
	switch {
	case root && user:
		return "held"
	case user:
		return "held for a user, open for root"
	case root:
		return "held for root, open for a user"
	}
	return "**open**"
}

const pageHead = `# What the sandbox holds

<!-- Written by go test ./internal/tool/shell -run TestEscapes -update. Do not edit. -->

Each row is an attempt that a test makes from a command of the bash tool, as root and as an ordinary user, on a Linux
machine with Landlock 7, namespaces and the system call filter. The columns leave some of these out, as other machines
do; ` + "`belay doctor`" + ` says which of them yours has. Where files outside the project, the server's port or the sockets of
your session are open, every command asks first. So does one that changes the project where there is no overlay: it says
so with ` + "`write`" + `, and belay reports its changes of protected files and of git's settings and hooks, and does not undo them.

The network in these attempts is ` + "`bash.network: ports`" + `. Commands that may use UDP can look up names; ` + "`bash.network: none`" + `
and ` + "`ask`" + `, the default, take all of the network away but belay's proxy and the
ports of this machine that ` + "`bash.local_ports`" + ` names. An abstract socket, such as that of X11, is held by a network of the
command's own or by Landlock from Linux 6.12 on; ` + "`belay doctor`" + ` says where it is open.

`
