package worker

import (
	"context"
	"testing"
	"time"

	"belay/internal/bus"
	"belay/internal/bus/contract"
	"belay/internal/fault"
)

// again puts a request on the bus that was there before: as a surface does that comes back
// when the bus has forgotten the id, or as the bus does that missed the acknowledgement.
func (r *rig) again(session, request string, m *contract.RequestMessage) {
	r.t.Helper()
	e := contract.Envelope{ID: "again:" + request, Request: request, Session: session, Client: "discord"}
	must(r.t, r.bus.Publish(r.ctx(), e, m))
}

// A request that was cancelled in line has no turn in the transcript. It does not run when it
// comes again.
func TestCancelledRequestComesAgain(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "slow")
	r.under(s, "r1")
	r.ask(s, "r2", contract.QueuePrompt, "quick")
	must(t, r.client.Request(r.ctx(), s, "stop2", &contract.RequestMessage{Queue: contract.QueueInterrupt, Target: "r2"}))
	r.wait("stop2", contract.StateResolved)
	r.again(s, "r2", &contract.RequestMessage{Queue: contract.QueuePrompt, Text: "quick"})
	r.ask(s, "stop1", contract.QueueInterrupt, "")
	waitEmpty(t, r)
	if e := r.end(s, "r2"); e.State != contract.StateCancelled {
		t.Errorf("the cancelled request ended with %+v", e)
	}
	if n := r.calls.Load(); n != 1 {
		t.Errorf("%d turns were begun, want the first alone", n)
	}
}

// A request that failed before its turn began does not run when it comes again, although it
// could now. Its evidence is kept then, too: that may be why it came again.
func TestFailedRequestComesAgain(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk, refusing(attempts, fault.New(fault.StorageFailure, "the disk is full")))
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "quick")
	r.end(s, "r1")
	waitEmpty(t, r)
	r.again(s, "r1", &contract.RequestMessage{Queue: contract.QueuePrompt, Text: "quick"})
	waitEmpty(t, r)
	if n := r.calls.Load(); n != 0 {
		t.Errorf("%d turns were begun", n)
	}
	letters := 0
	ctx, cancel := context.WithCancel(r.ctx())
	defer cancel()
	for m, err := range r.bus.Tail(ctx, bus.TailOptions{Since: time.Now().Add(-time.Hour), Request: "r1"}) {
		must(t, err)
		if m.Type == "dead letter" {
			if letters++; letters == 2 {
				cancel()
			}
		}
	}
	if letters != 2 {
		t.Errorf("%d dead letters", letters)
	}
}

// An interrupt that found nothing to stop, and comes again, stops no turn that began since.
func TestFailedInterruptComesAgain(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	r.ask(s, "stop", contract.QueueInterrupt, "")
	r.wait("stop", contract.StateFailed)
	r.ask(s, "r1", contract.QueuePrompt, "tool")
	r.under(s, "r1")
	r.again(s, "stop", &contract.RequestMessage{Queue: contract.QueueInterrupt})
	if e := r.end(s, "r1"); e.State != contract.StateResolved {
		t.Errorf("the turn ended with %+v", e)
	}
}
