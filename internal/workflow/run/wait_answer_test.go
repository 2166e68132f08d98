package run_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/redact"
	"belay/internal/workflow/run"
)

// Of many answers at once, some of them when the time has just passed, one counts. The
// run does what that one says, and the log has no other.
func TestOneAnswerCounts(t *testing.T) {
	t.Parallel()
	b := newBench(t, "id: flow\ntasks: [{id: ok, type: wait, message: Well?, for: 300ms, on_time: continue}]\noutputs: {by: '{{ .tasks.ok.output.by }}'}\n", echo)
	var mu sync.Mutex
	var logged []run.Answer
	b.answered = func(_ context.Context, w run.Waiting) error {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, *w.Answer)
		return nil
	}
	b.r = b.runner()
	for round := range 4 {
		logged = nil
		id := b.start(nil)
		b.waits(id)
		var won []string
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				by := strconv.Itoa(i)
				time.Sleep(time.Duration(round) * 100 * time.Millisecond)
				for {
					_, err := b.r.Answer(t.Context(), run.AnswerRequest{Project: b.project, ID: id, Answer: run.AnswerContinue, By: by})
					switch {
					case fault.Is(err, fault.Overloaded):
						continue
					case err == nil:
						mu.Lock()
						won = append(won, by)
						mu.Unlock()
					case !fault.Is(err, fault.DecisionClosed):
						t.Errorf("it is too late with %v", err)
					}
					return
				}
			})
		}
		all.Wait()
		r := b.ended(id)
		if len(won) == 0 {
			won = []string{""} // the time was over
		}
		if len(won) != 1 || len(logged) != 1 || r.Outputs["by"] != won[0] {
			t.Errorf("round %d: %v were accepted, the run goes by %q, and on record are %+v", round, won, r.Outputs["by"], logged)
		}
	}
}

// A note is as long as it is kept: without the secrets in it.
func TestNoteWithoutSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t, "id: flow\ntasks: [{id: ok, type: wait, message: Well?}]\n", echo)
	b.redact = redact.New(strings.Repeat("secret", 20))
	b.r = b.runner()
	id := b.start(nil)
	b.waits(id)
	note := strings.Repeat("x", 1950) + strings.Repeat("secret", 20)
	if _, err := b.r.Answer(t.Context(), run.AnswerRequest{Project: b.project, ID: id, Answer: run.AnswerContinue, Note: note}); err != nil {
		t.Fatal(err)
	}
	if r := b.ended(id); task(t, r, "ok").Decided.Note != strings.Repeat("x", 1950)+redact.Placeholder {
		t.Errorf("the note is %q", task(t, r, "ok").Decided.Note)
	}
}

// Of two servers that begin at the same time, the second one does not report a run that the
// first one has taken up and ended.
func TestTakenUpByAnother(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+"tasks: [{id: ok, type: wait, message: Well?}]\n", echo)
	id := b.start(nil)
	w := b.waits(id)
	over, stop := context.WithCancel(t.Context())
	stop()
	_ = b.r.Close(over) // the run is interrupted
	first := b.runner()
	b.r = first
	var once sync.Once
	b.ready = func(string) (err error) {
		once.Do(func() {
			if _, err = first.Answer(t.Context(), w.Answered(true, "", "")); err == nil {
				_, err = first.Resume(t.Context(), b.project, id, "")
			}
			b.ended(id)
		})
		return err
	}
	if n, err := b.runner().TakeUpWaiting(t.Context()); n != 0 || err != nil {
		t.Errorf("the second one took up %d runs, %v", n, err)
	}
}
