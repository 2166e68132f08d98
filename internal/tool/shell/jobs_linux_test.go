package shell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/quota"
)

// serverCode is a program that answers each connection to a port with its greeting.
const serverCode = `perl -MSocket -e '$| = 1; socket(S, PF_INET, SOCK_STREAM, 0) or die $!; setsockopt(S, SOL_SOCKET, SO_REUSEADDR, 1);
bind(S, sockaddr_in(%d, INADDR_LOOPBACK)) or die $!; listen(S, 5); print "listens\n"; while (accept(C, S)) { print C "%s\n"; close C }'`

// jobPlace is a project whose turn can have jobs, and its tool.
func jobPlace(t *testing.T, o Options) (*Shell, *tool.Environment, *decider) {
	t.Helper()
	base := tempDir(t)
	o.Network = confine.NetworkAsk
	s, w, d := newShell(t, base, o), newPlace(t, base), &decider{policy: permit.Policy{Mode: permit.Direct}}
	if report, err := s.Report(t.Context()); err != nil || !report.OwnNetwork || !report.Overlay {
		t.Skip("skipped: this machine has no namespaces or no overlays")
	}
	w.Jobs, w.Network = &tool.Jobs{}, d
	t.Cleanup(func() {
		for _, j := range w.Jobs.All() {
			w.Jobs.Remove(j.ID)
			r, err := j.Job.End(context.WithoutCancel(j.Call))
			if err != nil {
				t.Error(err)
			} else if r.Changes != nil {
				_, err = r.Changes.Discard(context.Background(), "the test is over")
				must(t, err)
			}
		}
	})
	return s, w, d
}

// jobCalls makes a call as a model does, with this input.
func jobCalls(t *testing.T, s *Shell, w *tool.Environment, in map[string]any) (tool.Result, error) {
	t.Helper()
	raw, err := json.Marshal(in)
	must(t, err)
	c, err := s.Prepare(t.Context(), w, raw)
	if err != nil {
		return tool.Result{}, err
	}
	sum := sha256.Sum256(append(raw, t.Name()...))
	return c.Run(tool.WithOrigin(t.Context(), tool.Origin{CallID: "call", ChangeID: "chg_" + hex.EncodeToString(sum[:12])}))
}

func jobText(t *testing.T, s *Shell, w *tool.Environment, in map[string]any) string {
	t.Helper()
	r, err := jobCalls(t, s, w, in)
	must(t, err)
	return r.Text
}

// A command reaches the ports of the machine that the person has named, and no other; each
// that it reached is on record once. A belay server is never reached.
func TestLocalPorts(t *testing.T) {
	t.Parallel()
	serve := func() uint16 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, "hello from the machine\n")
				_ = conn.Close()
			}
		}()
		return uint16(l.Addr().(*net.TCPAddr).Port)
	}
	named, server, other := serve(), serve(), serve()
	s, w, d := jobPlace(t, Options{LocalPorts: []uint16{named, server, confine.ProxyPort, named}, ServerPorts: func() []uint16 { return []uint16{server} }})
	reach := func(host string, port uint16) string {
		return fmt.Sprintf("timeout 10 cat < /dev/tcp/%s/%d || echo none\n", host, port)
	}
	got := jobText(t, s, w, map[string]any{"command": reach("127.0.0.1", named) + reach("localhost", named) + "echo =\n" + reach("127.0.0.1", server) + "echo =\n" + reach("127.0.0.1", other)})
	parts := strings.Split(got, "=\n")
	if len(parts) != 3 || strings.Count(parts[0], "hello from the machine") != 2 || strings.Contains(parts[1], "hello") || !strings.Contains(parts[2], "none") {
		t.Errorf("%q", got)
	}
	if want := []string{fmt.Sprintf("allow localhost:%d", named)}; !slices.Equal(d.log, want) {
		t.Errorf("on record is %q, want %q", d.log, want)
	}
	denied, err := permit.ParseRule("network(localhost:*)")
	must(t, err)
	for name, policy := range map[string]permit.Policy{"plan": {Mode: permit.Plan}, "a deny rule": {Denied: []permit.Rule{denied}}} {
		d.policy = policy
		if got := jobText(t, s, w, map[string]any{"command": reach("localhost", named)}); strings.Contains(got, "hello") {
			t.Errorf("with %s: %q", name, got)
		}
	}
}

// Without a network of the commands' own nothing of the machine is opened to them.
func TestLocalPortsNeedANetworkOfOnesOwn(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"without namespaces": {Network: confine.NetworkNone, Without: confine.Means{Namespaces: true}},
		"ports":              {Network: confine.NetworkPorts},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			defer l.Close()
			port := uint16(l.Addr().(*net.TCPAddr).Port)
			o.LocalPorts = []uint16{port}
			base := tempDir(t)
			s, w := newShell(t, base, o), newPlace(t, base)
			if report, err := s.Report(t.Context()); err != nil || report.Unconfined {
				t.Skip("skipped: this machine does not confine commands")
			}
			r, err := callShell(t, s, w, input{Command: fmt.Sprintf("(exec 3<>/dev/tcp/127.0.0.1/%d) 2>/dev/null && echo reached || echo refused", port)})
			if err != nil || !strings.Contains(r.Text, "refused") {
				t.Errorf("%q, %v", r.Text, err)
			}
		})
	}
}

// A job finds the ports of other jobs at its localhost, also of those that are started
// later or again.
func TestJobsReachEachOther(t *testing.T) {
	t.Parallel()
	s, w, _ := jobPlace(t, Options{})
	server := func(greeting string) map[string]any {
		return map[string]any{"command": fmt.Sprintf(serverCode, 4100, greeting), "background": true}
	}
	const ask = `for i in one two; do until timeout 10 grep -x $i < /dev/tcp/localhost/4100; do sleep 0.05; done 2>/dev/null; done`
	if text := jobText(t, s, w, map[string]any{"command": ask, "background": true}); !strings.Contains(text, "job_1 has run for") {
		t.Fatal(text)
	}
	jobText(t, s, w, server("one"))
	if text := jobText(t, s, w, map[string]any{"job": "job_1", "timeout_ms": 20000}); !strings.Contains(text, "one\n") {
		t.Errorf("the first: %q", text)
	}
	if text := jobText(t, s, w, map[string]any{"job": "job_2", "action": "stop"}); !strings.Contains(text, "stopped after") {
		t.Errorf("stopped: %q", text)
	}
	jobText(t, s, w, server("two"))
	if text := jobText(t, s, w, map[string]any{"job": "job_1", "timeout_ms": 20000}); !strings.Contains(text, "two\n") && !strings.Contains(text, "exit code 0") {
		t.Errorf("the second: %q", text)
	}
}

// The next command's result tells that a job has ended. What a job takes of the disk, and
// how much it says, is bounded as for commands.
func TestBoundsOfJobs(t *testing.T) {
	t.Parallel()
	s, w, _ := jobPlace(t, Options{Disk: quota.Limits{WriteBytes: 8 << 20}})
	jobText(t, s, w, map[string]any{"command": "until test -e $TMPDIR/go; do sleep 0.05; done; head -c 64M /dev/urandom >large; sleep 60", "background": true})
	jobText(t, s, w, map[string]any{"command": "touch $TMPDIR/go; exec yes", "background": true})
	first, err := w.Jobs.Find("", "job_1")
	must(t, err)
	<-first.(*job).ended
	if text := jobText(t, s, w, map[string]any{"command": "true"}); !strings.Contains(text, `job_1 (until test -e $TMPDIR/go`) || !strings.Contains(text, `has ended by itself: {"job": "job_1"} shows how`) {
		t.Errorf("%q", text)
	}
	r, err := jobCalls(t, s, w, map[string]any{"job": "job_1"})
	if err != nil || !r.Failed || r.Changes != nil || !strings.Contains(r.Text, "it had written more than 8 MiB") || !strings.Contains(r.Text, "nothing of what it changed") {
		t.Errorf("%q, %v", r.Text, err)
	}
	most := int(w.Limits.OutputBytes)
	for range 3 {
		r, err := jobCalls(t, s, w, map[string]any{"job": "job_2"})
		must(t, err)
		if len(r.Text) > most || !r.Truncated || !r.Progress || !strings.Contains(r.Text, "bytes of output left out") {
			t.Errorf("%d bytes, truncated %v: %.100s", len(r.Text), r.Truncated, r.Text)
		}
	}
	r, err = jobCalls(t, s, w, map[string]any{"job": "job_2", "action": "stop"})
	if err != nil || len(r.Text) > most || r.Failed || !strings.Contains(r.Text, "stopped after") {
		t.Errorf("%d bytes, failed %v, %v", len(r.Text), r.Failed, err)
	}
}

// Where no overlay can be laid there are no jobs, and the model learns what to do. So it
// is where commands have no network of their own and ports are asked for.
func TestNoJobs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"no overlay":           {Options{Without: confine.Means{Overlay: true}}, "a background job needs an overlay"},
		"no namespaces":        {Options{Without: confine.Means{Namespaces: true}}, "a background job needs an overlay"},
		"the machine's ports":  {Options{Network: confine.NetworkPorts}, "commands have no network of their own"},
		"switched off, ask it": {Options{Off: true}, "a background job needs an overlay"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := tempDir(t)
			s, w := newShell(t, base, c.o), newPlace(t, base)
			w.Jobs = &tool.Jobs{}
			_, err := jobCalls(t, s, w, map[string]any{"command": "true", "background": true, "ports": []int{3000}})
			refusal, ok := tool.AsRefusal(err)
			if !ok || !strings.Contains(refusal.Reason, c.want) || refusal.Hint == "" {
				t.Errorf("%v", err)
			}
		})
	}
}

// A job that is stopped is asked to end first, so that it can finish what it writes; one
// that does not listen is ended all the same.
func TestJobsAreAskedToEnd(t *testing.T) {
	t.Parallel()
	s, w, _ := jobPlace(t, Options{})
	const loop = "while :; do sleep 0.05; done"
	jobText(t, s, w, map[string]any{"command": "trap 'echo whole > made.txt; echo bye; exit 0' TERM; touch $TMPDIR/one; " + loop, "background": true})
	jobText(t, s, w, map[string]any{"command": "trap '' TERM; touch $TMPDIR/two; " + loop, "background": true})
	jobText(t, s, w, map[string]any{"command": "until test -e $TMPDIR/one -a -e $TMPDIR/two; do sleep 0.05; done"})
	r, err := jobCalls(t, s, w, map[string]any{"job": "job_1", "action": "stop"})
	must(t, err)
	if r.Changes == nil || r.Failed || !strings.Contains(r.Text, "bye\nstopped after") {
		t.Fatalf("failed %v: %q", r.Failed, r.Text)
	}
	if _, err = r.Changes.Apply(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if made, err := w.Root.ReadFile("made.txt"); err != nil || string(made) != "whole\n" {
		t.Errorf("%q, %v", made, err)
	}
	if text := jobText(t, s, w, map[string]any{"job": "job_2", "action": "stop"}); !strings.Contains(text, "stopped after") {
		t.Errorf("%q", text)
	}
}

// A port is opened under its own number, or another one where that is taken; only this
// process's user gets through; it is closed with the job.
func TestOpenPorts(t *testing.T) {
	t.Parallel()
	s, w, _ := jobPlace(t, Options{})
	taken, err := net.Listen("tcp", "127.0.0.2:0")
	must(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	r, err := jobCalls(t, s, w, map[string]any{"command": fmt.Sprintf(serverCode, port, "hello from the job"), "background": true, "ports": []int{port}})
	must(t, err)
	opened := regexp.MustCompile(`http://127\.0\.0\.2:(\d+) on the person's machine leads to its port ` + strconv.Itoa(port)).FindStringSubmatch(r.Text)
	if opened == nil || opened[1] == strconv.Itoa(port) || len(r.Notices) != 1 {
		t.Fatalf("%q, notices %q", r.Text, r.Notices)
	}
	ask := func(uid uint32) string {
		cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", "timeout 10 cat < /dev/tcp/127.0.0.2/"+opened[1])
		if uid != 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		}
		cmd.Dir = "/"
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	for !strings.Contains(ask(0), "hello from the job") { // until it listens
		if _, err := w.Jobs.Find("", "job_1"); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		if said := ask(65534); strings.Contains(said, "hello") {
			t.Errorf("another user gets %q", said)
		}
	}
	jobText(t, s, w, map[string]any{"job": "job_1", "action": "stop"})
	if said := ask(0); !strings.Contains(said, "refused") {
		t.Errorf("after the end: %q", said)
	}
}
