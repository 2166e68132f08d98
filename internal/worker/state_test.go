package worker

import (
	"fmt"
	"slices"
	"testing"

	"belay/internal/bus/contract"
)

// A request that waits is on the list wherever it waits: a surface takes one that is not for
// forgotten.
func TestAllRequestsThatWaitAreListed(t *testing.T) {
	t.Parallel()
	w := &Worker{lines: map[string]*line{}, jobs: map[jobKey]*job{}}
	add := func(session, request string, q contract.Queue, text string) *job {
		j := &job{key: jobKey{session, request}, message: &contract.RequestMessage{Queue: q, Text: text}}
		w.jobs[j.key] = j
		return j
	}
	l := newLine(w, "s")
	w.lines["s"] = l
	l.active = add("s", "active", contract.QueuePrompt, "x")
	var want []string
	for n := range 150 {
		id := fmt.Sprintf("w%03d", n)
		l.waiting = append(l.waiting, add("s", id, contract.QueuePrompt, "x"))
		want = append(want, id)
	}
	l.inbox = []*job{add("s", "inbox", contract.QueuePrompt, "x")}
	l.later = []*job{add("s", "later", contract.QueueSteer, "x")}
	add("s", "looked-at", contract.QueueSteer, "x")
	add("s", "urgent", contract.QueueInterrupt, "x")
	add("s", "stop", contract.QueueInterrupt, "")
	add("other", "elsewhere", contract.QueuePrompt, "x")
	running, queued := w.state("s")
	if running == nil || running.Request != "active" {
		t.Errorf("running is %+v", running)
	}
	if want = append(want, "inbox", "later", "looked-at", "urgent"); !slices.Equal(queued, want) {
		t.Errorf("queued are %q", queued)
	}
	if running, queued = w.state("nobody"); running != nil || queued != nil {
		t.Errorf("of another session: %+v, %q", running, queued)
	}
	e := contract.Envelope{Session: "s", Client: "belay"}
	if _, err := contract.Encode(e, &contract.SessionState{Session: contract.Session{SessionID: "s"}, Queued: want}); err != nil {
		t.Error(err)
	}
}
