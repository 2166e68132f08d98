//go:build crashtest

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"belay/internal/app"
	"belay/internal/durable"
)

// The children of TestKilled find in these what to do.
const (
	childDeed  = "BELAY_CRASH_DEED"
	childDir   = "BELAY_CRASH_DIR"
	childKnown = "BELAY_CRASH_KNOWN"
	childAt    = "BELAY_CRASH_AT"
)

// A process that is killed before any change of a file leaves a fork, a delete, an
// upload and an undo whole or not begun, and other sessions as they were. What it
// had answered holds. What it left behind is swept, and the same call works.
func TestKilled(t *testing.T) {
	if name := os.Getenv(childDeed); name != "" {
		perish(t, name)
		return
	}
	for i := range deeds {
		t.Run(deeds[i].name, deeds[i].killed)
	}
}

// killed kills a process before each change of the deed.
func (d *deed) killed(t *testing.T) {
	w := newWorld(t, t.TempDir(), &d.scenario)
	begin := w.prepare(&d.scenario)
	quick()
	defer durable.SetHook(nil)
	must(t, w.restore(begin, kill))
	before, err := readTree(w.dir)
	must(t, err)
	clean, err := w.whenNobodyIsKilled(d)
	must(t, err)
	count := map[bool]int{}
	at, lived := 0, false
	for !lived {
		if at++; at > 500 {
			t.Fatal("the child never survives")
		}
		must(t, w.restore(begin, kill))
		var promised []promise
		promised, lived = w.child(d, at)
		done, err := w.afterKill(d, before, promised, clean)
		if err != nil {
			t.Fatalf("killed before change %d, %d answers: %v", at, len(promised), err)
		}
		count[done]++
	}
	t.Logf("%d changes: done after %d kills, not begun after %d", at-1, count[true]-1, count[false])
	if count[false] == 0 || count[true] < 2 {
		t.Error("no kill left it done, or none left it not begun")
	}
}

// child makes the call in a process that is killed before a change of a number. It
// returns what was answered, and whether there were fewer changes.
func (w *world) child(d *deed, at int) (promised []promise, lived bool) {
	w.t.Helper()
	answers := filepath.Join(w.dir, "answers")
	must(w.t, os.WriteFile(answers, nil, 0o600))
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$", "-test.count=1")
	cmd.Env = append(os.Environ(), childDeed+"="+d.name, childDir+"="+w.dir, childKnown+"="+w.known, childAt+"="+strconv.Itoa(at))
	out, err := cmd.CombinedOutput()
	killed := err != nil && cmd.ProcessState.ExitCode() < 0 // a signal, and there is only one
	if err != nil && !killed {
		w.t.Fatalf("the child failed at %d: %v\n%s", at, err, out)
	}
	data, err := os.ReadFile(answers)
	must(w.t, err)
	if len(data) > 0 {
		promised = make([]promise, 1)
		must(w.t, json.Unmarshal(data, &promised[0]))
	}
	return promised, !killed
}

// perish is the child's side.
func perish(t *testing.T, name string) {
	d := findDeed(name)
	w := newWorld(t, os.Getenv(childDir), &d.scenario)
	w.known = os.Getenv(childKnown)
	boot("while it works")
	at, err := strconv.ParseInt(os.Getenv(childAt), 10, 64)
	must(t, err)
	a, err := w.open()
	must(t, err)
	var n atomic.Int64
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if flushes(op) {
			return durable.ErrSkipped // who dies does not need it
		}
		if n.Add(1) == at {
			self, err := os.FindProcess(os.Getpid())
			must(t, err)
			must(t, self.Kill())
			select {} // until it arrives
		}
		return nil
	}})
	p, err := d.do(w, a)
	must(t, err)
	data, err := json.Marshal(p)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(w.dir, "answers"), data, 0o600))
	must(t, a.Close(context.Background()))
}

// afterKill checks what a kill left, before any engine sees it and with the first
// one that does.
func (w *world) afterKill(d *deed, before tree, promised []promise, clean map[string]bool) (done bool, err error) {
	now, err := readTree(w.dir)
	if err != nil {
		return false, err
	}
	if err := d.look(w, before, now); err != nil {
		return false, err
	}
	a, err := w.open()
	if err != nil {
		return false, fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, a.Close(context.Background())) }()
	for _, p := range promised {
		if err := p.holds(w, a); err != nil {
			return false, fmt.Errorf("it was acknowledged: %w", err)
		}
	}
	if done, err = d.check(w, a); err != nil {
		return done, err
	}
	if len(promised) > 0 && !done {
		return done, errors.New("it was acknowledged, and was not done")
	}
	if err := everySessionWorks(w, a); err != nil {
		return done, err
	}
	if err := w.again(d, a, done); err != nil {
		return done, fmt.Errorf("once more: %w", err)
	}
	return done, w.isSwept(d, a, clean)
}

// again makes the call once more.
func (w *world) again(d *deed, a *app.App, done bool) error {
	p, err := d.do(w, a)
	if done && d.once != nil {
		return d.once(err)
	}
	if err != nil {
		return err
	}
	if err := p.holds(w, a); err != nil {
		return err
	}
	if done, err := d.check(w, a); err != nil || !done {
		return fmt.Errorf("done: %v, %w", done, err)
	}
	return nil
}
