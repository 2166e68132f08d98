package agent

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"belay/internal/permit"
)

// network decides which hosts the commands of an agent reach. It is a [tool.Network].
type network struct{ run *Run }

// maxHostQuestions is how many hosts of one agent wait for an answer at once.
const maxHostQuestions = 20

// hostQuestions are the questions about hosts that an agent has asked, by host. An
// answer counts for the rest of the agent's work, or longer where it says so.
type hostQuestions struct {
	mu     sync.Mutex
	asked  map[string]*hostQuestion
	open   int
	closed bool
	all    sync.WaitGroup
}

type hostQuestion struct {
	pending *permit.Pending
	call    string
	effect  permit.Effect
	// answered is closed when decision and err are set.
	answered chan struct{}
	decision permit.Decision
	err      error
	// ctx is that of the wait for an answer; covered is set where one for the session
	// to another question ended it.
	ctx     context.Context
	cancel  context.CancelFunc
	covered bool
}

// Ask implements [tool.Network].
func (n *network) Ask(ctx context.Context, e permit.Effect) (permit.Ruling, error) {
	a := n.run
	c := callOf(ctx)
	if c == nil {
		return permit.Ruling{}, errors.New("a host is asked about outside a call")
	}
	hooked, err := a.Hooks.Before(ctx, permit.HookInput{
		SessionID: a.SessionID, TurnID: a.ID, ToolCallID: c.id, ProjectRoot: a.Lease.Record().ProjectRoot,
		Persona: a.Settings.Persona.ID, Agent: a.Settings.Persona.ID, Mode: a.policy.Mode, Effect: e, Input: a.show(c.input),
	})
	if err != nil && ctx.Err() == nil { // else nobody waits for the host any more
		hookFailed(c, e, hooked, err)
	}
	ruling := a.policy.JudgeWith(e, hooked)
	switch {
	case ruling.Outcome != permit.Ask:
		return ruling, nil
	case a.Questions.Requests == nil:
		return permit.Ruling{Outcome: permit.Refuse, Reason: ruling.Reason + ", and nobody can be asked"}, nil
	case a.granted(e):
		return allowedForSession, nil
	case a.Settings.AsksNobody:
		return permit.Ruling{Outcome: permit.Refuse, Reason: ruling.Reason + ", and the turn asks nobody"}, nil
	}
	q, err := n.ask(c, e, ruling.Reason)
	if err != nil || q == nil {
		return permit.Ruling{Outcome: permit.Refuse, Reason: "too many questions about hosts are open"}, err
	}
	select {
	case <-q.answered:
		if a.granted(e) {
			return allowedForSession, nil
		}
		return q.ruling()
	case <-ctx.Done():
		return ruling, nil
	}
}

// allowedForSession is the ruling where an answer for the session covers the host.
var allowedForSession = permit.Ruling{Outcome: permit.Allow, Reason: "a person allowed it for the session"}

func (a *Run) granted(e permit.Effect) bool {
	return a.Questions.Requests.Granted(a.SessionID, a.Settings.Persona.ID, e)
}

// ruling is what the answer says.
func (q *hostQuestion) ruling() (permit.Ruling, error) {
	switch d := q.decision; {
	case q.err != nil:
		return permit.Ruling{}, q.err
	case d.Allowed():
		return permit.Ruling{Outcome: permit.Allow, Reason: "a person allowed it"}, nil
	case d.Timeout:
		return permit.Ruling{Outcome: permit.Refuse, Reason: "a person was asked and did not answer in time"}, nil
	case d.Note != "":
		return permit.Ruling{Outcome: permit.Refuse, Reason: "a person was asked and did not allow it; they said: " + d.Note}, nil
	}
	return permit.Ruling{Outcome: permit.Refuse, Reason: "a person was asked and did not allow it"}, nil
}

// ask asks about a host, once: connections to a host share its question. It is nil
// where too many are open.
func (n *network) ask(s *toolCall, e permit.Effect, reason string) (*hostQuestion, error) {
	h := &n.run.hosts
	h.mu.Lock()
	defer h.mu.Unlock()
	host := e.Hosts[0]
	if q := h.asked[host]; q != nil {
		return q, nil
	}
	if h.closed || h.open >= maxHostQuestions {
		return nil, nil
	}
	q := &hostQuestion{call: s.id, effect: e, answered: make(chan struct{})}
	id := DecisionID(n.run.SessionID, n.run.ID, n.run.key+" network", host, 1)
	before, err := n.run.Questions.lookUp(id) // of a process that ran the turn and died
	switch {
	case err != nil:
		return nil, err
	case before.answered:
		q.decision = before.decision
		close(q.answered)
	case before.open:
		q.pending = before.pending
	default:
		if q.pending, err = n.post(s, id, e, reason); err != nil {
			return nil, err
		}
	}
	if h.asked == nil {
		h.asked = map[string]*hostQuestion{}
	}
	h.asked[host] = q
	if q.pending != nil {
		h.open++
		q.ctx, q.cancel = context.WithCancel(n.run.Context)
		h.all.Go(func() { n.await(q) })
	}
	return q, nil
}

// post puts the question and notifies the readers of it.
func (n *network) post(s *toolCall, id string, e permit.Effect, reason string) (*permit.Pending, error) {
	now := n.run.Clock().UTC()
	pending, err := n.run.Questions.Requests.Post(n.run.Context, permit.Request{
		ID: id, SessionID: n.run.SessionID, TurnID: n.run.ID, ToolCallID: s.id,
		ProjectRoot: n.run.Lease.Record().ProjectRoot, Persona: n.run.Settings.Persona.ID, Agent: n.run.Settings.Persona.ID,
		Effect: e, Input: n.run.show(s.input), Reason: reason, Session: true, Created: now, Expires: n.run.until(now),
	})
	if err != nil {
		return nil, err
	}
	return pending, n.run.notifyAsked(pending, s.id, e.Tool)
}

// await waits for the answer to a question about a host, until the agent's work is
// done, and notifies the readers of it.
func (n *network) await(q *hostQuestion) {
	h := &n.run.hosts
	d, err := q.pending.Wait(q.ctx)
	if q.ctx.Err() != nil && err != nil {
		why := n.run.unanswered()
		h.mu.Lock()
		if q.covered {
			why.Note = "an answer for the session covers it"
		}
		h.mu.Unlock()
		d, err = n.run.Questions.Withdraw(q.pending, why), nil
	}
	q.cancel()
	q.decision, q.err = d, errors.Join(err, n.run.resolved(q.call, d))
	close(q.answered)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open--
	if d.Verdict != permit.VerdictAllowSession {
		return
	}
	for _, other := range h.asked {
		if other.cancel != nil && n.run.granted(other.effect) {
			other.covered = true
			other.cancel()
		}
	}
}

// close closes the questions that nobody has answered, and waits until the readers know.
func (h *hostQuestions) close() {
	h.mu.Lock()
	h.closed = true
	for _, q := range h.asked {
		if q.cancel != nil {
			q.cancel()
		}
	}
	h.mu.Unlock()
	h.all.Wait()
}

// Local implements [tool.Network].
func (n *network) Local(e permit.Effect) permit.Ruling {
	r := n.run.policy.Judge(e)
	if r.Outcome == permit.Ask {
		return permit.Ruling{Outcome: permit.Allow, Reason: "bash.local_ports names the port"}
	}
	return r
}

// Record implements [tool.Network].
func (n *network) Record(ctx context.Context, e permit.Effect, r permit.Ruling) error {
	c := callOf(ctx)
	if c == nil {
		return nil
	}
	reason := r.Reason
	if r.Outcome == permit.Ask {
		reason += ", and a person has not answered yet"
	}
	return c.audit(permit.Entry{Kind: e.Tool, Summary: cmp.Or(strings.Join(e.Hosts, ", "), e.Summary), Verdict: string(r.Outcome), Reason: reason})
}
