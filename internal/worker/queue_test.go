package worker

import (
	"strings"
	"testing"

	"belay/internal/bus/contract"
	"belay/internal/fault"
	"belay/internal/turn"
)

const talk = `
turns:
  - when: slow
    steps: [{say: "Thinking. "}, {wait: 10m}, {say: "Never said."}]
  - when: tool
    steps: [{say: "Looking. "}, {call: {name: glob, input: {pattern: "*"}}}, {wait: 1s}, {say: "Looked."}]
  - when: quick
    steps: [{say: "Quick."}]
`

// under waits until the turn of a request is under way: it has said something.
func (r *rig) under(session, request string) {
	r.t.Helper()
	for m, err := range r.client.Output(r.ctx(), session, request, 0) {
		must(r.t, err)
		if contract.TypeOf(m.Payload) == contract.TypeTextDelta {
			return
		}
	}
	r.t.Fatalf("%s has ended", request)
}

// wait waits for a state of a request.
func (r *rig) wait(request string, state contract.State) *contract.LifecycleChanged {
	r.t.Helper()
	all := r.signals(strings.ReplaceAll(request, ":", "_")+"-"+string(state), func(m contract.Message) bool {
		l, ok := m.Payload.(*contract.LifecycleChanged)
		return ok && m.Envelope.Request == request && l.State == state
	}, contract.TypeLifecycleChanged)
	return all[len(all)-1].Payload.(*contract.LifecycleChanged)
}

func TestPromptsOfASessionWaitInLine(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "slow")
	r.under(s, "r1")
	for _, id := range []string{"r2", "r3"} {
		r.ask(s, id, contract.QueuePrompt, "quick")
		r.wait(id, contract.StateQueued)
	}
	state, err := r.client.Status(r.ctx(), s)
	must(t, err)
	if state.Running == nil || state.Running.Request != "r1" || state.Running.TurnID == "" || strings.Join(state.Queued, " ") != "r2 r3" {
		t.Errorf("status: running %+v, queued %v", state.Running, state.Queued)
	}
	r.ask(s, "stop", contract.QueueInterrupt, "")
	if e := r.end(s, "r1"); e.State != contract.StateCancelled || e.FinalText != "Thinking. " {
		t.Errorf("the interrupted request ended with %+v", e)
	}
	var order []string
	for _, m := range r.signals("order", final("r3"), contract.TypeLifecycleChanged) {
		if l := m.Payload.(*contract.LifecycleChanged); l.State.Final() {
			order = append(order, m.Envelope.Request+" "+string(l.State))
		}
	}
	got := strings.Join(order, ", ")
	if got != "stop resolved, r1 cancelled, r2 resolved, r3 resolved" && got != "r1 cancelled, stop resolved, r2 resolved, r3 resolved" {
		t.Errorf("ends: %s", got)
	}
}

func TestRequestInLineIsCancelled(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "slow")
	r.under(s, "r1")
	r.ask(s, "r2", contract.QueuePrompt, "quick")
	must(t, r.client.Request(r.ctx(), s, "stop2", &contract.RequestMessage{Queue: contract.QueueInterrupt, Target: "r2"}))
	if e := r.end(s, "r2"); e.State != contract.StateCancelled {
		t.Errorf("the request in line ended with %+v", e)
	}
	must(t, r.client.Request(r.ctx(), s, "stop3", &contract.RequestMessage{Queue: contract.QueueInterrupt, Target: "r9"}))
	if l := r.wait("stop3", contract.StateFailed); l.Error.Code != string(fault.NoTurnInProgress) {
		t.Errorf("an interrupt of nothing: %+v", l.Error)
	}
	if n := r.calls.Load(); n != 1 {
		t.Errorf("%d turns were begun, want the first alone", n)
	}
}

// A message to a request that has not begun is in the queue, so it can be cancelled.
func TestWhatIsSaidLaterIsCancelled(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	other, err := r.local.Start(r.ctx(), turn.Request{SessionID: s, Message: "slow"})
	must(t, err)
	defer other.Close()
	r.ask(s, "r1", contract.QueuePrompt, "quick")
	r.ask(s, "r2", contract.QueueSteer, "and a word more")
	must(t, r.client.Request(r.ctx(), s, "stop2", &contract.RequestMessage{Queue: contract.QueueInterrupt, Target: "r2"}))
	if e := r.end(s, "r2"); e.State != contract.StateCancelled {
		t.Errorf("the message ended with %+v", e)
	}
	r.wait("stop2", contract.StateResolved)
	must(t, r.local.Interrupt(r.ctx(), s, other.Turn()))
	if e := r.end(s, "r1"); e.State != contract.StateResolved || e.FinalText != "Quick." {
		t.Errorf("the request ended with %+v", e)
	}
}

func TestInterruptWithATextGoesBeforeTheLine(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "slow")
	r.under(s, "r1")
	r.ask(s, "r2", contract.QueuePrompt, "quick")
	r.wait("r2", contract.StateQueued)
	r.ask(s, "r3", contract.QueueInterrupt, "quick, now")
	var order []string
	for _, m := range r.signals("order", final("r2"), contract.TypeLifecycleChanged) {
		if l := m.Payload.(*contract.LifecycleChanged); l.State.Final() {
			order = append(order, m.Envelope.Request+" "+string(l.State))
		}
	}
	if got := strings.Join(order, ", "); got != "r1 cancelled, r3 resolved, r2 resolved" {
		t.Errorf("ends: %s", got)
	}
}

// What people say into a running turn is answered by its output. Where none runs it
// is a request like any other.
func TestSteerAndFollowUp(t *testing.T) {
	t.Parallel()
	for _, q := range []contract.Queue{contract.QueueSteer, contract.QueueFollowUp} {
		t.Run(string(q), func(t *testing.T) {
			t.Parallel()
			r := openRig(t, t.TempDir(), talk)
			s := r.session()
			r.ask(s, "r1", contract.QueuePrompt, "tool")
			r.under(s, "r1")
			r.ask(s, "r2", q, "quick please")
			if l := r.wait("r2", contract.StateResolved); l.Into != "r1" || l.TurnID == "" {
				t.Errorf("the message went into %q", l.Into)
			}
			r.end(s, "r1")
			r.ask(s, "r3", q, "quick")
			if e := r.end(s, "r3"); e.State != contract.StateResolved || !strings.HasPrefix(e.FinalText, "Quick.") {
				t.Errorf("without a turn: %+v", e)
			}
			entries, err := r.engine.Transcript(r.ctx(), s)
			must(t, err)
			said := 0
			for _, e := range entries {
				if strings.Contains(e.Message, "quick please") {
					said++
				}
			}
			if said != 1 {
				t.Errorf("the message is %d times in the transcript", said)
			}
		})
	}
}

// A person works in the session on another surface: requests wait, and an interrupt
// reaches that turn as well.
func TestTurnOfAnotherSurface(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	other, err := r.local.Start(r.ctx(), turn.Request{SessionID: s, Message: "slow"})
	must(t, err)
	defer other.Close()
	r.ask(s, "r1", contract.QueueSteer, "be quick")
	if l := r.wait("r1", contract.StateResolved); l.Into != "" {
		t.Errorf("the message went into %q", l.Into)
	}
	r.ask(s, "r2", contract.QueuePrompt, "quick")
	r.ask(s, "stop", contract.QueueInterrupt, "")
	if l := r.wait("stop", contract.StateResolved); l.Error != nil {
		t.Errorf("stop: %+v", l.Error)
	}
	if n := r.calls.Load(); n != 1 && n != 0 {
		t.Errorf("%d turns", n)
	}
}

func TestRequestsThatCannotRun(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	r.ask("sess_unknown", "r1", contract.QueuePrompt, "quick")
	if e := r.end("sess_unknown", "r1"); e.State != contract.StateFailed || e.Error.Code != string(fault.SessionNotFound) || e.Error.Hint == "" {
		t.Errorf("no session: %+v", e)
	}
	must(t, r.client.Request(r.ctx(), s, "r2", &contract.RequestMessage{Queue: contract.QueuePrompt, Text: "x", Persona: "NOBODY"}))
	if e := r.end(s, "r2"); e.State != contract.StateFailed || e.Error.Code != string(fault.PersonaNotFound) {
		t.Errorf("no persona: %+v", e)
	}
	if l := r.wait("r2", contract.StateFailed); l.Error.Code != string(fault.PersonaNotFound) {
		t.Errorf("state: %+v", l)
	}
}
