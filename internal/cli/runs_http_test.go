package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// runsBench is a project with workflows, and a server beside which other processes
// work on it.
type runsBench struct {
	t             *testing.T
	home, project string
	base          string
}

const benchFlow = `id: three
agents: [{id: reader, instructions: You read.}]
tasks:
  - {id: first, agent: reader, prompt: "the first", on_success: {next: second}}
  - {id: second, agent: reader, prompt: "the second", on_success: {next: third}}
  - {id: third, agent: reader, prompt: "the third", final: true}
outputs: {third: "{{ .tasks.third.output.response }}"}
`

const (
	benchSlow = "turns:\n  - when: the second\n    steps: [{say: \"Some words, \"}, {wait: 5m}]\n  - when: the\n    steps: [{say: done}]\n"
	benchFast = "turns:\n  - when: the\n    steps: [{say: done}]\n"
)

func newRunsBench(t *testing.T) *runsBench {
	t.Helper()
	dir := t.TempDir()
	b := &runsBench{t: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project")}
	for _, d := range []string{b.home, b.project} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"three.yaml": benchFlow, "slow.script": benchSlow, "fast.script": benchFast} {
		if err := os.WriteFile(filepath.Join(b.project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func (b *runsBench) script(name string) string {
	return "BELAY_SCRIPTED_SCRIPT=" + filepath.Join(b.project, name)
}

// command is belay in the project, its model as in the script.
func (b *runsBench) command(script string, args ...string) *exec.Cmd {
	b.t.Helper()
	belay, err := exec.LookPath("belay")
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.CommandContext(b.t.Context(), belay, args...)
	cmd.Dir, cmd.Env = b.project, append(homeEnv(b.home), b.script(script))
	return cmd
}

// start begins a command that the test ends.
func (b *runsBench) start(script string, args ...string) *exec.Cmd {
	b.t.Helper()
	cmd := b.command(script, args...)
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// call makes a request and reads its answer into v.
func (b *runsBench) call(method, path string, body any, want int, v any) {
	b.t.Helper()
	res := b.send(method, path, body, "")
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != want {
		b.t.Fatalf("%s %s: %d, %v\n%s", method, path, res.StatusCode, err, data)
	}
	if err := json.Unmarshal(data, v); err != nil {
		b.t.Fatal(err)
	}
}

func (b *runsBench) send(method, path string, body any, last string) *http.Response {
	b.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	if body == nil {
		data = nil
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

func (b *runsBench) query() string { return "?projectRoot=" + url.QueryEscape(b.project) }

// benchRun is what the tests look at of a run.
type benchRun struct {
	ID, Status string
	Live       bool
	Outputs    map[string]any
	Tasks      []struct{ Key, Status string }
}

// onlyRun waits until the project has one run.
func (b *runsBench) onlyRun() benchRun {
	b.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var list struct{ Runs []benchRun }
		if b.call("GET", "/api/workflow/runs"+b.query(), nil, 200, &list); len(list.Runs) == 1 {
			return list.Runs[0]
		}
	}
	b.t.Fatal("no run appears")
	return benchRun{}
}

// benchEvent is an event as a stream has it; id is 0 where it has none.
type benchEvent struct {
	id         int
	kind, data string
}

// stream reads events until until says so, or the end.
func (b *runsBench) stream(id, last string, until func(benchEvent) bool) (all []benchEvent) {
	b.t.Helper()
	res := b.send("GET", "/api/workflow/runs/"+id+"/events"+b.query(), nil, last)
	defer res.Body.Close()
	timer := time.AfterFunc(patience, func() { _ = res.Body.Close() })
	defer timer.Stop()
	var e benchEvent
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.id, _ = strconv.Atoi(value)
		case "event":
			e.kind = value
		case "data":
			e.data = value
		case "":
			if e.kind == "" {
				continue // of a heartbeat
			}
			all = append(all, e)
			if until != nil && until(e) {
				return all
			}
			e = benchEvent{}
		}
	}
	return all
}

// A stream of a run of another process reports that process's death, and goes on
// without a gap where the reader was once a third process takes the run up.
func TestRunEventsAcrossProcesses(t *testing.T) {
	t.Parallel()
	b := newRunsBench(t)
	b.base = serveFor(t, b.home, b.project)
	victim := b.start("slow.script", "run", "three.yaml")
	id := b.onlyRun().ID
	before := b.stream(id, "", func(e benchEvent) bool {
		return e.kind == "task:attempt" && strings.Contains(e.data, `"task":"second"`)
	})
	last := before[len(before)-1]

	died := make(chan []benchEvent)
	go func() { died <- b.stream(id, strconv.Itoa(last.id), nil) }()
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // killed
	end := <-died
	if len(end) != 1 || end[0].id != 0 || end[0].kind != "run:end" || end[0].data != `{"status":"interrupted"}` {
		t.Fatalf("after the death the stream has %+v", end)
	}
	var shown struct{ Run benchRun }
	if b.call("GET", "/api/workflow/runs/"+id+b.query(), nil, 200, &shown); shown.Run.Status != "interrupted" || shown.Run.Live {
		t.Errorf("the run is %+v", shown.Run)
	}

	if out, err := b.command("fast.script", "run", "--resume", id).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	after := b.stream(id, strconv.Itoa(last.id), nil)
	if len(after) == 0 || after[0].kind != "run:resume" || after[len(after)-1].kind != "run:end" {
		t.Fatalf("after the resumption the stream has %+v", after)
	}
	for i, e := range after {
		if e.id != last.id+1+i {
			t.Errorf("event %d after %d has the id %d", i, last.id, e.id)
		}
		if strings.Contains(e.data, `"task":"first"`) {
			t.Errorf("the finished task was done again: %+v", e)
		}
	}
	if got := b.stream(id, "", nil); len(got) != len(before)+len(after) {
		t.Errorf("from the beginning there are %d events, want %d", len(got), len(before)+len(after))
	}
}

// A run that a server started goes on when nobody reads and when a reader is stuck,
// and can be tried before.
func TestRunOnServer(t *testing.T) {
	t.Parallel()
	b := newRunsBench(t)
	b.base = serveFor(t, b.home, b.project, b.script("fast.script"))
	body := map[string]any{"projectRoot": b.project, "path": "three.yaml", "dryRun": true}
	var tried struct{ Plan struct{ Tasks []any } }
	if b.call("POST", "/api/workflow/run", body, 200, &tried); len(tried.Plan.Tasks) != 3 {
		t.Errorf("the plan is %+v", tried)
	}
	body["dryRun"] = false
	var begun struct{ Run benchRun }
	b.call("POST", "/api/workflow/run", body, 200, &begun)
	stuck := b.send("GET", "/api/workflow/runs/"+begun.Run.ID+"/events"+b.query(), nil, "")
	defer stuck.Body.Close()
	events := b.stream(begun.Run.ID, "", nil)
	if n := len(events); n == 0 || events[n-1].kind != "run:end" || !strings.Contains(events[n-1].data, `"success"`) {
		t.Fatalf("the events are %+v", events)
	}
	var shown struct{ Run benchRun }
	b.call("GET", "/api/workflow/runs/"+begun.Run.ID+b.query(), nil, 200, &shown)
	if shown.Run.Status != "success" || shown.Run.Outputs["third"] != "done" || len(shown.Run.Tasks) != 3 {
		t.Errorf("the run is %+v", shown.Run)
	}
	var refused struct{ Error struct{ Type string } }
	outside := filepath.Join(b.home, "other.yaml")
	if err := os.WriteFile(outside, []byte(benchFlow), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(b.project, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	b.call("POST", "/api/workflow/run", map[string]any{"projectRoot": b.project, "path": "link.yaml"}, 400, &refused)
	if refused.Error.Type != "INVALID_REQUEST" {
		t.Errorf("a link out of the project is %+v", refused)
	}
	for name, target := range map[string]string{"copy.yaml": filepath.Join(".belay", "runs", begun.Run.ID, "workflow"), "same.yaml": "three.yaml"} {
		if err := os.Symlink(target, filepath.Join(b.project, name)); err != nil {
			t.Fatal(err)
		}
	}
	b.call("POST", "/api/workflow/run", map[string]any{"projectRoot": b.project, "path": "copy.yaml"}, 400, &refused)
	var planned struct{ Plan struct{ Workflow string } }
	b.call("POST", "/api/workflow/run", map[string]any{"projectRoot": b.project, "path": "same.yaml", "dryRun": true}, 200, &planned)
	if planned.Plan.Workflow != "three" {
		t.Errorf("a link in the project is %+v", planned)
	}
}

// A run of another process is cancelled over HTTP.
func TestRunCancelledOverHTTP(t *testing.T) {
	t.Parallel()
	b := newRunsBench(t)
	b.base = serveFor(t, b.home, b.project)
	cmd := b.start("slow.script", "run", "three.yaml")
	id := b.onlyRun().ID
	b.stream(id, "", func(e benchEvent) bool {
		return e.kind == "task:attempt" && strings.Contains(e.data, `"task":"second"`)
	})
	var cancelled struct{ Run benchRun }
	b.call("POST", "/api/workflow/runs/"+id+"/cancel", map[string]any{"projectRoot": b.project}, 200, &cancelled)
	if cancelled.Run.Status != "cancelled" || cancelled.Run.Live {
		t.Errorf("the run is %+v", cancelled.Run)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != ExitFailed {
		t.Errorf("belay run ended with %v", err)
	}
}

// A server that shuts down leaves its runs so that they can be taken up again.
func TestRunOutlivesItsServer(t *testing.T) {
	t.Parallel()
	b := newRunsBench(t)
	var begun struct{ Run benchRun }
	t.Run("server", func(t *testing.T) { // which ends with it, in good order
		b.base = serveFor(t, b.home, b.project, b.script("slow.script"), "BELAY_SERVER_SHUTDOWN_GRACE=1s")
		b.call("POST", "/api/workflow/run", map[string]any{"projectRoot": b.project, "path": "three.yaml"}, 200, &begun)
		b.stream(begun.Run.ID, "", func(e benchEvent) bool {
			return e.kind == "task:attempt" && strings.Contains(e.data, `"task":"second"`)
		})
	})
	out, err := b.command("fast.script", "runs", "show", begun.Run.ID, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ Run benchRun }
	if err := json.Unmarshal(out, &shown); err != nil || shown.Run.Status != "interrupted" {
		t.Fatalf("after the server the run is %+v (%v)", shown.Run, err)
	}
	out, err = b.command("fast.script", "run", "--resume", begun.Run.ID).Output()
	if err != nil || !bytes.Contains(out, []byte(`"third": "done"`)) {
		t.Fatalf("%v\n%s", err, out)
	}
}
