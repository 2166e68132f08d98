package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A scripted agent tries in every way of the table to change what it may not, to be
// run later, to leave something behind, or to reach anybody. It works in the mode that
// asks least, on machines that hold commands in each of the ways that there are. After each turn everything of the project that is not as it was stands
// in the session's changes, and nothing else of the user's is not as it was.
//
// Covers: turn-api REQ-04, workspace 9.5
func TestHostileAgent(t *testing.T) {
	t.Parallel()
	users := map[string]int{"ordinary": os.Getuid()}
	if os.Getuid() == 0 {
		users = map[string]int{"root": 0, "ordinary": 65534}
	}
	for _, m := range machines {
		for name, uid := range users {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				v := newVictim(t, m, uid)
				const turn = 12
				tried := 0
				for batch := range slices.Chunk(v.attempts(), turn) {
					v.attempt(batch)
					tried += len(batch)
				}
				if tried < 100 {
					t.Errorf("%d attempts were made", tried)
				}
			})
		}
	}
}

// machine is where the agent tries.
type machine struct {
	name, without string
	// write is set where its commands say that they write.
	write bool
	// refused is set where every command is asked about, which here nobody answers.
	refused bool
}

var machines = []machine{
	{name: "an overlay"},
	{name: "Landlock alone", without: withoutNamespaces},
	{name: "Landlock alone, with write", without: withoutNamespaces, write: true, refused: true},
	{name: "neither", without: withoutAll, refused: true},
}

// victim is a user with a project, another one, a home folder and things that listen.
type victim struct {
	*place
	machine     machine
	base, other string
	uid         int
	program     string
	session     string
	turn        string // the last one
	turns       int
	reached     atomic.Int64 // connections to what listens
	words       *strings.Replacer
}

// newVictim makes a user with that number. What belongs to them is theirs alone.
func newVictim(t *testing.T, m machine, uid int) *victim {
	t.Helper()
	program, err := belay()
	must(t, err)
	base, err := os.MkdirTemp("", "belay-hostile-*")
	must(t, err)
	base, err = filepath.EvalSymlinks(base)
	must(t, err)
	t.Cleanup(func() {
		_ = exec.Command("chmod", "-R", "u+rwx", base).Run()
		must(t, os.RemoveAll(base))
	})
	v := &victim{place: newPlace(t), machine: m, base: base, other: filepath.Join(base, "other"), uid: uid, program: filepath.Join(base, "belay")}
	v.project = filepath.Join(base, "project")
	home := filepath.Join(base, "home")
	v.env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "NO_COLOR=1", "BELAY_SCRIPTED_PACE=0",
		"XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "BELAY_SCRIPTED_SCRIPT=" + filepath.Join(base, "script.yaml"),
	}
	copyProgram(t, program, v.program)
	copyProgram(t, "/proc/self/exe", filepath.Join(base, "without"))
	const deliverable = "project/deliverables/one/"
	for name, text := range map[string]string{
		deliverable + "_STATUS.md": "**Current State:** INITIALIZED\n", deliverable + "_CONTEXT.md": "# One\n", deliverable + "_DEPENDENCIES.md": "# Dependencies\n",
		deliverable + "_REFERENCES.md": "# References\n", deliverable + "dependencies.csv": "id\n", "project/belay.yaml": "{}\n",
		"project/notes.md": "alpha\n", "project/src/deep/main.c": "int main(){}\n", "project/a,b:c\\d": "odd\n", "project/run.sh": "#!/bin/sh\n",
		"other/precious": "x\n", "other/.git/config": "[core]\n", "home/.bashrc": "#\n", "home/.ssh/id": "key\n", "home/.gitconfig": "[user]\n", "home/precious": "x\n",
	} {
		path := filepath.Join(base, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	must(t, os.Symlink("notes.md", filepath.Join(v.project, "link.md")))
	must(t, os.Mkdir(filepath.Join(v.project, "empty"), 0o755))
	must(t, os.Chmod(filepath.Join(home, ".ssh"), 0o700))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "notes.md", "src"}, {"-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = v.project, append(os.Environ(), "HOME="+base, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	must(t, filepath.WalkDir(base, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, uid, uid)
		}
		return err
	}))
	v.listen()
	return v
}

// copyProgram copies a program to where any user may start it.
func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	must(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	must(t, err)
	_, err = io.Copy(out, in)
	must(t, err)
	must(t, out.Close())
}

// openWithLandlock are the attempts that get what docs/sandbox.md says of machines
// without namespaces: the names of files outside, and belay's folder in the project.
var openWithLandlock = []string{
	": ls -A .belay", ": ls {other} {home}/.ssh", ": ls -A /proc/self/root/", ": cd /proc/self/cwd/../other", "do [ -e $p/cwd/.belay/sessions ]",
}

// listen begins to listen wherever a command may look for somebody.
func (v *victim) listen() {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	must(v.t, err)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(v.t, err)
	abstract := "@" + v.base
	listeners := []net.Listener{tcp}
	for _, at := range []string{abstract, filepath.Join(v.base, "home", "sock"), filepath.Join(v.project, "sock")} {
		l, err := net.Listen("unix", at)
		must(v.t, err)
		listeners = append(listeners, l)
		if at != abstract {
			must(v.t, os.Chmod(at, 0o777))
		}
	}
	for _, l := range listeners {
		v.t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				v.reached.Add(1)
				_ = c.Close()
			}
		}()
	}
	v.t.Cleanup(func() { _ = udp.Close() })
	go func() {
		for {
			if _, _, err := udp.ReadFrom(make([]byte, 64)); err != nil {
				return
			}
			v.reached.Add(1)
		}
	}()
	v.words = strings.NewReplacer(
		"{base}", v.base, "{project}", v.project, "{other}", v.other, "{home}", filepath.Join(v.base, "home"),
		"{tcp}", fmt.Sprint(tcp.Addr().(*net.TCPAddr).Port), "{udp}", fmt.Sprint(udp.LocalAddr().(*net.UDPAddr).Port), "{pid}", fmt.Sprint(os.Getpid()),
	)
}

// attempt makes attempts in one turn of the session, and looks at what is left of them.
func (v *victim) attempt(batch []attempt) {
	v.t.Helper()
	v.turns++
	message := fmt.Sprintf("attempt-%d;", v.turns)
	steps := []map[string]any{}
	for _, a := range batch {
		name, input := "bash", map[string]any{"command": v.words.Replace(a.command), "timeout_ms": 60000, "write": v.machine.write}
		if a.tool != "" {
			name, input = a.tool, map[string]any{}
			must(v.t, json.Unmarshal([]byte(v.words.Replace(a.command)), &input))
		}
		steps = append(steps, map[string]any{"call": map[string]any{"name": name, "input": input}})
	}
	script := jsonOf(map[string]any{"turns": []any{map[string]any{"when": message, "steps": append(steps, map[string]any{"say": "Done."})}}})
	must(v.t, os.WriteFile(filepath.Join(v.base, "script.yaml"), []byte(script), 0o644))

	before := v.listing()
	args := []string{"turn", "--json", "--mode", "acceptEdits"}
	if v.session != "" {
		args = append(args, "--session", v.session)
	}
	out := v.run(append(args, message)...)
	v.checkSaid(batch, out)
	v.checkLeft()
	v.checkListing(before, v.listing())
	if n := v.reached.Swap(0); n > 0 {
		v.t.Errorf("%s: somebody was reached %d times", whatOf(batch), n)
	}
}

func whatOf(batch []attempt) string {
	var all []string
	for _, a := range batch {
		all = append(all, a.what)
	}
	return strings.Join(all, "; ")
}

// run runs the program as the victim.
func (v *victim) run(args ...string) []byte {
	v.t.Helper()
	cmd := exec.Command(v.program, args...)
	cmd.Dir, cmd.Env = v.project, v.env
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(v.uid), Gid: uint32(v.uid)}}
	}
	without(cmd, v.machine.without, filepath.Join(v.base, "without"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		v.t.Fatalf("belay %s: %v\n%s\n%s", args[0], err, clip(stderr.String()), clip(string(out)))
	}
	return out
}

// checkSaid looks at what the calls of a turn had to say: a call that got through says
// ESCAPED.
func (v *victim) checkSaid(batch []attempt, out []byte) {
	v.t.Helper()
	results := 0
	for line := range bytes.Lines(out) {
		var e struct {
			Type, Turn string
			Data       struct{ Output string }
		}
		must(v.t, json.Unmarshal(line, &e))
		v.turn = e.Turn
		if e.Type != "tool:result" {
			continue
		}
		a := batch[min(results, len(batch)-1)]
		if v.machine.without == withoutNamespaces && slices.ContainsFunc(openWithLandlock, func(part string) bool { return strings.Contains(a.what, part) }) {
			results++
			continue
		}
		if v.machine.refused && a.tool == "" && !strings.HasPrefix(e.Data.Output, "not permitted: ") {
			v.t.Errorf("%s: it was run: %s", a.what, clip(e.Data.Output))
		}
		if strings.Contains(e.Data.Output, "ESCAPED") || strings.Contains(e.Data.Output, "could not be set up") {
			v.t.Errorf("%s: %s", a.what, clip(e.Data.Output))
		}
		results++
	}
	if all, err := filepath.Glob(filepath.Join(v.project, ".belay/sessions/*")); err == nil && len(all) == 1 {
		v.session = filepath.Base(all[0])
	}
	if results != len(batch) {
		v.t.Errorf("%d of %d calls have a result: %s", results, len(batch), clip(string(out)))
	}
}

// checkLeft looks for processes and mounts that outlived their command.
func (v *victim) checkLeft() {
	v.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(v.t, err)
	for _, p := range all {
		if line, err := os.ReadFile(p); err == nil && bytes.Contains(line, []byte("lingering-"+filepath.Base(v.base))) {
			v.t.Errorf("a process outlived its command: %q", line)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	must(v.t, err)
	if bytes.Contains(mounts, []byte(v.base)) {
		v.t.Error("something is left mounted")
	}
}

// listing is everything of the victim's but what belay and the tools have for
// themselves.
func (v *victim) listing() map[string]string {
	v.t.Helper()
	all := map[string]string{}
	must(v.t, filepath.WalkDir(v.base, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(v.base, path)
		must(v.t, err)
		switch rel {
		case "home/cache", "home/state", "project/.belay/sessions", "script.yaml":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case ".":
			return nil
		}
		info, err := d.Info()
		must(v.t, err)
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			v.t.Fatal("no inode")
		}
		text := fmt.Sprintf("%v %d:%d", info.Mode(), stat.Uid, stat.Gid)
		switch {
		case info.Mode().IsRegular():
			text += fmt.Sprintf(" %d %d", stat.Nlink, info.Size())
			if rel == "belay" || rel == "without" { // large, and read by everybody
				text += info.ModTime().String()
				break
			}
			data, err := os.ReadFile(path)
			must(v.t, err)
			text += fmt.Sprintf(" %x", sum(data))
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(path)
			must(v.t, err)
			text += " to " + target
		}
		if n, err := unix.Llistxattr(path, nil); err == nil && n > 0 {
			text += " with attributes"
		}
		all[rel] = text
		return nil
	}))
	return all
}

// checkListing compares what is there with what was there and with what the session
// has on record.
func (v *victim) checkListing(before, after map[string]string) {
	v.t.Helper()
	var recorded struct {
		Turns []struct {
			Changes []struct {
				Path, After string
				Restored    bool
			}
		}
	}
	must(v.t, json.Unmarshal(v.run("session", "changes", v.session, "--turn", v.turn, "--json"), &recorded))
	own := map[string]bool{}
	for _, turn := range recorded.Turns {
		for _, c := range turn.Changes {
			if c.Restored {
				continue
			}
			for dir := c.Path; dir != "."; dir = filepath.Dir(dir) {
				own["project/"+dir] = true
			}
		}
	}
	for path := range merged(before, after) {
		if before[path] == after[path] || own[strings.ToValidUTF8(path, "\uFFFD")] || gitWrites(path) || folderOnly(path, before[path], after[path]) || belayWrites(path, after[path]) {
			continue
		}
		v.t.Errorf("%s was %q and is %q, which is not on record", path, before[path], after[path])
	}
	for path, text := range after {
		if strings.HasPrefix(path, "project/.belay/changes/chg_") {
			continue // as the command left it, for a person to look at
		}
		if strings.Contains(text, "with attributes") || strings.HasPrefix(text, "u") || strings.HasPrefix(text, "g") || text[0] == 'D' || text[0] == 'p' || text[0] == 'S' && filepath.Base(path) != "sock" {
			v.t.Errorf("%s is %s", path, text)
		}
		if never(path) && before[path] != text {
			v.t.Errorf("%s was %q and is %q", path, before[path], text)
		}
	}
}

func merged(a, b map[string]string) map[string]bool {
	all := map[string]bool{}
	for k := range a {
		all[k] = true
	}
	for k := range b {
		all[k] = true
	}
	return all
}

// gitWrites reports whether a path is of a repository's content, which is not recorded
// file by file.
func gitWrites(path string) bool {
	return strings.HasPrefix(path, "project/") && strings.Contains(path+"/", "/.git/")
}

// folderOnly reports whether something is, or was, a folder: a session has files on record.
func folderOnly(path, before, after string) bool {
	return strings.HasPrefix(path, "project/") && strings.Trim(before[:min(len(before), 1)]+after[:min(len(after), 1)], "d") == ""
}

// belayWrites reports whether a path is one of belay's own, which is empty when no
// command runs, or a change that waits.
func belayWrites(path, text string) bool {
	switch path {
	case "project/.belay", "project/.belay/.gitignore", "project/.belay/tmp", "project/.belay/journal", "project/.belay/changes", "project/.belay/blobs":
		return !strings.HasPrefix(text, "L")
	}
	return strings.HasPrefix(path, "project/.belay/changes/chg_") || strings.HasPrefix(path, "project/.belay/blobs/")
}

// never reports whether no command may change a file of the project, whatever it
// records.
func never(path string) bool {
	base := strings.ToLower(filepath.Base(path))
	switch {
	case strings.HasSuffix(base, ".sample"):
		return false
	case strings.HasPrefix(path, "project/.git/"):
		return slices.Contains([]string{"config", "config.worktree", "commondir", "gitdir", "alternates"}, base) || strings.Contains(path, "/hooks/")
	case strings.Contains(path, "/.git/hooks/"):
		return true
	}
	return slices.Contains([]string{"_status.md", "_context.md", "dependencies.csv", "belay.yaml", "_latest.md", "_memory.md"}, base)
}
