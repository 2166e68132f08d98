//go:build unix

package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/event"
	"belay/internal/session"
)

const killScript = `
turns:
  - when: first
    steps:
      - say: "One. "
      - call: {name: attachment.add, input: {paths: [a.txt, b.txt]}}
      - say: "Two. "
      - call: {name: glob, input: {pattern: "*"}}
      - say: "Three."
  - when: second
    steps: [{say: "Second."}]
`

// A child of the test is a server that is killed: by itself at the nth time of a step,
// or by its parent.
const (
	envDir  = "BELAY_TEST_WORKER_DIR"
	envStep = "BELAY_TEST_WORKER_STEP"
	envNth  = "BELAY_TEST_WORKER_NTH"
)

// killRequests are what the child asks for, in order.
var killRequests = []struct {
	id    string
	queue contract.Queue
	text  string
}{
	{"discord:1:1", contract.QueuePrompt, "first, please"},
	{"discord:1:2", contract.QueueSteer, "and a word more"},
	{"discord:1:3", contract.QueuePrompt, "second, please"},
}

// child asks for the requests in a session and ends when all are dealt with.
func child(dir string) error {
	step, seen := os.Getenv(envStep), atomic.Int64{}
	nth, err := strconv.ParseInt(os.Getenv(envNth), 10, 64)
	if err != nil {
		return err
	}
	r := &rig{dir: dir, project: filepath.Join(dir, "project")}
	err = r.open(killScript, slog.New(slog.NewTextHandler(os.Stderr, nil)), func(o *Options) {
		o.step = func(name string) {
			if name == step && seen.Add(1) == nth {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	id, err := r.only(ctx)
	if err != nil {
		return err
	}
	for _, q := range killRequests {
		if err := r.client.Request(ctx, id, q.id, &contract.RequestMessage{Queue: q.queue, Text: q.text}); err != nil {
			return err
		}
	}
	for {
		s, err := r.client.Status(ctx, id)
		if err != nil {
			return err
		}
		if n, err := r.bus.Waiting(ctx); err != nil {
			return err
		} else if n == 0 && s.Running == nil {
			return r.close()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// only is the session of the project, made where there is none.
func (r *rig) only(ctx context.Context) (string, error) {
	page, err := r.client.Sessions(ctx, &contract.SessionList{ProjectRoot: r.project})
	if err != nil || len(page.Sessions) > 0 {
		return page.Sessions[0].SessionID, err
	}
	s, err := r.client.CreateSession(ctx, "", &contract.SessionCreate{ProjectRoot: r.project})
	return s.SessionID, err
}

// runChild runs a child to its end, or kills it after a while, and returns whether it
// was killed.
func runChild(t *testing.T, dir, step string, nth int, after time.Duration) (killed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), envDir+"="+dir, envStep+"="+step, envNth+"="+strconv.Itoa(nth))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	must(t, cmd.Start())
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && ctx.Err() == nil {
		return true
	}
	if err != nil {
		t.Fatalf("child: %v\n%s", err, errs.String())
	}
	return false
}

// checkDone checks that each request was dealt with once.
func checkDone(t *testing.T, dir string) {
	t.Helper()
	r := openRig(t, dir, killScript)
	id, err := r.only(r.ctx())
	must(t, err)
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	ended := map[string]bool{}
	all := r.signals("check", func(m contract.Message) bool {
		if m.Payload.(*contract.LifecycleChanged).State.Final() {
			ended[m.Envelope.Request] = true
		}
		return len(ended) == len(killRequests)
	}, contract.TypeLifecycleChanged)
	finals := map[string][]*contract.LifecycleChanged{}
	for _, m := range all {
		if l := m.Payload.(*contract.LifecycleChanged); l.State.Final() {
			finals[m.Envelope.Request] = append(finals[m.Envelope.Request], l)
		}
	}
	for _, q := range killRequests {
		said := 0
		for _, e := range entries {
			if e.Message == q.text && (e.Kind == session.EntryTurn || e.Kind == session.EntryInput) {
				said++
			}
		}
		if said != 1 || len(finals[q.id]) != 1 {
			t.Errorf("%s is %d times in the transcript and ended %d times", q.id, said, len(finals[q.id]))
			for _, l := range finals[q.id] {
				t.Logf("%+v %+v", l, l.Error)
			}
			continue
		}
		end := finals[q.id][0]
		if q.queue == contract.QueueSteer && end.State == contract.StateResolved && end.Into+end.TurnID != q.id && end.TurnID == "" {
			continue // said into a turn that was dead when this was found out
		}
		if end.Into != "" {
			continue
		}
		r.checkOutput(id, q.id, end.TurnID)
	}
}

// checkOutput compares the output of a request with the log of its turn.
func (r *rig) checkOutput(id, request, turnID string) {
	r.t.Helper()
	s, err := r.engine.Events(r.ctx(), id, 0, turnID)
	must(r.t, err)
	defer s.Close()
	var text strings.Builder
	var want, got []string
	for over := false; !over; {
		events, err := s.Next(r.ctx())
		must(r.t, err)
		for _, e := range events {
			if e.Turn != turnID {
				continue
			}
			switch e.Type {
			case event.ChatDelta:
				var d event.Text
				must(r.t, json.Unmarshal(e.Data, &d))
				text.WriteString(d.Text)
			case event.AttachmentAdd:
				var f event.SentFile
				must(r.t, json.Unmarshal(e.Data, &f))
				want = append(want, f.Filename)
			}
			over = over || e.Ends()
		}
	}
	all := r.output(id, request)
	said := ""
	for _, p := range all {
		switch p := p.(type) {
		case *contract.TextDelta:
			said += p.Delta
		case *contract.ResponseBinary:
			got = append(got, p.Filename)
		}
	}
	// Only the output has blank lines between the answers.
	if fmt.Sprint(want) != fmt.Sprint(got) || text.String() != strings.ReplaceAll(said, "\n", "") {
		r.t.Errorf("%s: the output has the files %v and says %q; the log has %v and %q", request, got, said, want, text.String())
	}
}

func killDir(t *testing.T) string {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "project"), 0o700))
	for _, name := range []string{"a.txt", "b.txt"} {
		must(t, os.WriteFile(filepath.Join(dir, "project", name), []byte(name), 0o600))
	}
	return dir
}

// The server dies between two steps of a request. The next one deals with every request
// that was accepted, once, and no file or word of the output is lost or repeated.
func TestKilledBetweenSteps(t *testing.T) {
	t.Parallel()
	for _, k := range []struct {
		step string
		nth  int
	}{
		{"taken", 1}, {"accepted", 1}, {"published", 1}, {"published", 4}, {"published", 6}, {"ended", 1}, {"reported", 1},
		{"acknowledged", 1}, {"said", 1}, {"taken", 2}, {"accepted", 2}, {"ended", 2}, {"reported", 2}, {"acknowledged", 2},
	} {
		t.Run(fmt.Sprint(k.step, " ", k.nth), func(t *testing.T) {
			t.Parallel()
			dir := killDir(t)
			if !runChild(t, dir, k.step, k.nth, 0) {
				t.Fatal("the child was not killed")
			}
			runChild(t, dir, "", 0, 0)
			checkDone(t, dir)
		})
	}
}

// The server dies at any moment, twice.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			dir := killDir(t)
			for range 2 {
				runChild(t, dir, "", 0, time.Duration(random.IntN(900))*time.Millisecond)
			}
			runChild(t, dir, "", 0, 0)
			checkDone(t, dir)
		})
	}
}
