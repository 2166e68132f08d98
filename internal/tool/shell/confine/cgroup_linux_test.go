package confine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A control group for commands is made in the nearest folder above the process whose
// groups limit memory.
func TestWhereControlGroupsAreMade(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		own     string            // the process's own group
		root    string            // what of the groups is mounted
		enabled map[string]string // what groups of a folder limit
		want    string
	}{
		"a desktop":             {"0::/user/app/term.scope", "/", map[string]string{"user": "cpu memory pids", "user/app": "memory pids"}, "user/app"},
		"further up":            {"0::/a/b/c", "/", map[string]string{"a": "cpu memory", "a/b": "pids"}, "a"},
		"nowhere":               {"0::/a/b", "/", map[string]string{".": "cpu", "a": "cpu pids"}, ""},
		"the top":               {"0::/", "/", map[string]string{".": "memory"}, "."},
		"beside version 1":      {"4:memory:/x\n0::/a", "/", map[string]string{".": "memory"}, "."},
		"only version 1":        {"4:memory:/x", "/", map[string]string{".": "memory"}, ""},
		"a part is mounted":     {"0::/pod/box", "/pod", map[string]string{".": "memory"}, "."},
		"another is mounted":    {"0::/pod/box", "/other", map[string]string{".": "memory"}, ""},
		"outside its namespace": {"0::/../box", "/", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proc, top := t.TempDir(), t.TempDir()
			must(t, os.WriteFile(filepath.Join(proc, "cgroup"), []byte(test.own+"\n"), 0o600))
			mount := fmt.Sprintf("20 1 0:1 / / rw - ext4 x rw\n41 31 0:38 %s %s rw,relatime shared:4 - cgroup2 cgroup2 rw\n", test.root, top)
			must(t, os.WriteFile(filepath.Join(proc, "mountinfo"), []byte(mount), 0o600))
			for dir, text := range test.enabled {
				must(t, os.MkdirAll(filepath.Join(top, dir), 0o700))
				must(t, os.WriteFile(filepath.Join(top, dir, "cgroup.subtree_control"), []byte(text+"\n"), 0o600))
			}
			got, err := findCgroup(proc)
			want := ""
			if test.want != "" {
				want = filepath.Join(top, test.want)
			}
			if got != want || (err == nil) != (want != "") {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
	}
}

// The limits are written before anything runs in the group, and groups of processes
// that died are removed.
func TestControlGroupLimits(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	gone := exec.CommandContext(t.Context(), "true")
	must(t, gone.Run())
	for _, name := range []string{fmt.Sprint(gone.Process.Pid) + "-1", "1-1", "x"} {
		must(t, os.Mkdir(filepath.Join(parent, cgroupPrefix+name), 0o700))
	}
	g, err := makeCgroup(parent, Limits{MemoryBytes: 123 << 20, Processes: 7})
	must(t, err)
	defer g.remove()
	for file, want := range map[string]string{"memory.max": "128974848", "memory.swap.max": "0", "pids.max": "28"} {
		if got, err := os.ReadFile(filepath.Join(g.dir, file)); string(got) != want {
			t.Errorf("%s is %q (%v), want %q", file, got, err, want)
		}
	}
	left, err := filepath.Glob(filepath.Join(parent, cgroupPrefix+"*"))
	must(t, err)
	if len(left) != 3 { // that of the first process, x, and the new one
		t.Errorf("left %v", left)
	}
	for events, want := range map[string]bool{"oom 1\noom_kill 0\n": false, "oom 1\noom_kill 2\n": true} {
		must(t, os.WriteFile(filepath.Join(g.dir, "memory.events"), []byte(events), 0o600))
		if g.starved() != want {
			t.Errorf("%q: starved is %v", events, !want)
		}
	}
}

// A command runs in its control group from its first moment, and the group is gone
// after it.
func TestInControlGroup(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can make a control group everywhere")
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	must(t, err)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	must(t, err)
	_, parent := cgroupFolder(string(own), string(mounts))
	dir, err := os.MkdirTemp(parent, cgroupPrefix+"test-")
	if parent == "" || err != nil {
		t.Skipf("skipped: there are no control groups of version 2 to write to (%q, %v)", parent, err)
	}
	g := &cgroup{dir: dir}
	g.folder, err = os.Open(dir)
	must(t, err)
	t.Cleanup(g.remove)
	r, c := testRunner(Options{}), room(t)
	c.Text = "cat /proc/self/cgroup"
	must(t, prepareScratch(c.Scratch))
	p, err := r.plan(c, r.found())
	must(t, err)
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	k, err := startSupervisor(p, in, Command{}, g)
	must(t, in.Close())
	must(t, err)
	must(t, out.SetReadDeadline(time.Now().Add(5*time.Minute)))
	said := NewRecorder(1 << 10)
	copyAll(said, out)
	_, err = k.wait()
	must(t, err)
	if text := string(said.output().Head); !strings.Contains(text, filepath.Base(dir)+"\n") {
		t.Errorf("it ran in %q", text)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("the group is still there: %v", err)
	}
}

// All processes of a command together have no more memory than one may have, where
// the machine can limit that.
func TestMemoryOfAll(t *testing.T) {
	t.Parallel()
	r := testRunner(Options{Limits: Limits{MemoryBytes: 256 << 20}})
	found, err := r.Report(t.Context())
	must(t, err)
	if !found.Memory {
		t.Skipf("skipped: no control group here: %v", found.Reasons)
	}
	const each = `head -c 150M /dev/zero | tail | wc -c`
	c := room(t)
	if o, text := run(t, r, c, each); text != "157286400\n" || o.Starved {
		t.Errorf("one process: %q, %+v", text, o)
	}
	if o, _ := run(t, r, c, each+" & "+each+" & "+each+" & wait"); !o.Starved {
		t.Errorf("three processes: %+v", o)
	}
}

// The report says whether the memory of a whole command is limited.
func TestReportOfMemory(t *testing.T) {
	t.Parallel()
	for _, limited := range []bool{true, false} {
		r := Report{Landlock: landlockUnix, Namespaces: true, Memory: limited}
		r.judge()
		held, open := strings.Join(r.Held, "\n"), strings.Join(r.Open, "\n")
		if strings.Contains(held, "memory is limited for the command as a whole") != limited ||
			strings.Contains(open, "memory is limited for each process, not for the command") == limited ||
			strings.Contains(r.Summary(), "a control group") != limited {
			t.Errorf("limited %v: %s\n%s\n%s", limited, r.Summary(), held, open)
		}
	}
}
