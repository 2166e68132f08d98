package test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A process is killed while a background job of its turn runs. Nothing of the job is left:
// no process, no open port, no mount, no change, and the session goes on.
//
// Covers: turn-api REQ-04, workspace 9.5
func TestJobKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.scripted(`turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "echo changed > a.txt; echo > begun; exec perl server.pl", background: true, ports: [8125]}}
      - call: {name: bash, input: {command: "sleep 300"}}
      - say: Done.
  - steps:
      - call: {name: bash, input: {job: job_1}}
      - say: And on it goes.
`)
	p.file("a.txt", "a\n")
	p.file("server.pl", `use Socket; socket(S, PF_INET, SOCK_STREAM, 0); bind(S, sockaddr_in(8125, INADDR_LOOPBACK)) or die $!; listen(S, 5);
while (accept(C, S)) { print C "hello\n"; close C }
`)
	before := p.tree()
	turn := p.command("turn", "--allow", "bash", "--allow", "ports", "go")
	out, err := os.Create(filepath.Join(t.TempDir(), "said"))
	must(t, err)
	turn.Stderr = out
	must(t, turn.Start())
	opened := regexp.MustCompile(`http://(127\.0\.0\.2:\d+) leads to port 8125`)
	var address string
	wait(t, "the port is open", func() bool {
		data, err := os.ReadFile(out.Name())
		must(t, err)
		if m := opened.FindSubmatch(data); m != nil {
			address = string(m[1])
		}
		return address != "" && greeted(address)
	})
	if len(processesIn(p.project)) == 0 {
		t.Fatal("no process of the job is seen")
	}
	must(t, turn.Process.Kill())
	_ = turn.Wait() // killed

	wait(t, "the port is closed", func() bool { return !greeted(address) })
	wait(t, "its processes are gone", func() bool { return len(processesIn(p.project)) == 0 })
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	must(t, err)
	if strings.Contains(string(mounts), p.project) {
		t.Errorf("something is mounted in the project:\n%s", mounts)
	}
	after := p.tree()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
	id := p.sessions()[0]
	if out := p.run("turn", "--session", id, "and on"); !strings.Contains(out, "And on it goes") {
		t.Error(out)
	}
	p.checkRecord(id)
	p.run("gc")
	if left, err := filepath.Glob(filepath.Join(p.project, ".belay", "tmp", "*")); err != nil || len(left) > 0 {
		t.Errorf("there is still %v, %v", left, err)
	}
}

// greeted reports whether something answers at an address.
func greeted(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	hello := make([]byte, 5)
	n, _ := conn.Read(hello)
	return string(hello[:n]) == "hello"
}

// processesIn are the processes that work in a folder.
func processesIn(dir string) (found []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, l := range links {
		if at, err := os.Readlink(l); err == nil && at == dir {
			found = append(found, l)
		}
	}
	return found
}

// A process is killed while a person is asked about what a job changed that ended with its
// turn. The next server asks again, and an answer that was given in between is carried
// out. The process may die when the question is on disk and its readers have not heard of it.
//
// Covers: turn-api REQ-04, REQ-12
func TestKilledWhileAskedAboutAJob(t *testing.T) {
	t.Parallel()
	for name, heard := range map[string]bool{"heard": true, "not heard": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killedWhileAskedAboutAJob(t, heard)
		})
	}
}

func killedWhileAskedAboutAJob(t *testing.T, heard bool) {
	script := filepath.Join(t.TempDir(), "script.yaml")
	must(t, os.WriteFile(script, []byte(`turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "echo made > made.txt; touch $TMPDIR/one; sleep 300", background: true}}
      - call: {name: bash, input: {command: "until test -e $TMPDIR/one; do sleep 0.05; done"}}
      - say: It is made.
`), 0o600))
	p := newPlace(t, "BELAY_SCRIPTED_SCRIPT="+script)
	s := p.serve()
	id := s.session()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	stream := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "go"}))
	question := p.asked("bash").ID
	log := filepath.Join(".belay", "sessions", id, "log", "0001.jsonl")
	if heard {
		wait(t, "the question is in the log", func() bool { return strings.Contains(p.content(log), question) })
	}
	s.kill()
	_ = stream.Body.Close()
	if before, _, there := strings.Cut(p.content(log), question); there && !heard {
		must(t, os.Truncate(filepath.Join(p.project, log), int64(strings.LastIndex(before, "\n")+1)))
	}
	s = p.serve()
	stream = s.open(ctx, "GET", "/api/harness/session/"+id+"/events?turn="+s.turnOf(id), "")
	p.asked("bash") // it is asked again
	// The answer is given while nobody runs the turn.
	s.kill()
	_ = stream.Body.Close()
	p.run("decision", "allow", p.asked("bash").ID)
	if _, err := os.Stat(filepath.Join(p.project, "made.txt")); err == nil {
		t.Error("the change counts before anybody carried the answer out")
	}
	s = p.serve()
	all := events(t, s.open(ctx, "GET", "/api/harness/session/"+id+"/events?turn="+s.turnOf(id), "").Body)
	if end := last(t, all); end.name != "process:exit" || end.data["exitCode"] != 0.0 {
		t.Errorf("the turn ended with %+v", end)
	}
	if open, kept := p.run("decision", "list"), p.run("changes", "list"); strings.Contains(open, "dec_") || strings.Contains(kept, "chg_") {
		t.Errorf("open is %q, kept is %q", open, kept)
	}
	if made := p.content("made.txt"); made != "made\n" {
		t.Errorf("the file holds %q", made)
	}
	if changed := p.changed(id); !slices.Equal(changed, []string{"made.txt"}) {
		t.Errorf("on record is %q", changed)
	}
}
