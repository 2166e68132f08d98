package permit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
)

// Request is a question: may this call run?
type Request struct {
	// ID is the decision's id, made by the store where it is empty.
	ID          string `json:"id"`
	SessionID   string `json:"sessionId"`
	TurnID      string `json:"turnId"`
	ToolCallID  string `json:"toolCallId"`
	ProjectRoot string `json:"projectRoot"`
	Persona     string `json:"persona"`
	// Agent is whom a decision for the session is for.
	Agent  string `json:"agent"`
	Effect Effect `json:"effect"`
	// Input is the call's input, redacted and capped by the caller.
	Input   json.RawMessage `json:"input,omitempty"`
	Reason  string          `json:"reason"`
	Created time.Time       `json:"created"`
	// Expires is when the question counts as denied; it waits without end where
	// this is zero.
	Expires time.Time `json:"expires,omitzero"`
	// Session is set where a decision for the whole session is offered.
	Session bool `json:"session"`
	// PID is the process that waits.
	PID int `json:"pid"`
}

// entry is the line of the audit log about a decision.
func (r Request) entry(d Decision) Entry {
	return Entry{
		Kind: "decision", SessionID: r.SessionID, TurnID: r.TurnID, ToolCallID: r.ToolCallID, DecisionID: r.ID,
		Project: r.ProjectRoot, Agent: r.Agent, Tool: r.Effect.Tool, Summary: r.Effect.Act(),
		Verdict: string(d.Verdict), By: d.By, Reason: r.Reason, Note: d.Note, Effect: r.Effect.Fingerprint(),
	}
}

// Pending is a question that its asker waits on.
type Pending struct {
	requests *Requests
	// Request is the question as it was posted.
	Request Request
}

// ErrTooLong is that a question is too long to be asked: nobody would be shown all of it.
var ErrTooLong = errors.New("the question is too long")

// Post lays a question in the store. It waits as
// long as the store's limit says, or until r.Expires where that is sooner. An id
// that is ill-formed or taken is an error of the caller, a question of more than 512 KiB
// [ErrTooLong]; more than a thousand open questions are OVERLOADED. Where a
// session-wide answer would cover nothing, none is offered.
func (d *Requests) Post(ctx context.Context, r Request) (*Pending, error) {
	if r.ID == "" {
		r.ID = d.o.NewID()
	}
	if r.Created.IsZero() {
		r.Created = d.o.Clock().UTC()
	}
	if end := r.Created.Add(d.o.Timeout); d.o.Timeout > 0 && (r.Expires.IsZero() || end.Before(r.Expires)) {
		r.Expires = end
	}
	r.PID = cmp.Or(r.PID, os.Getpid())
	r.Session = r.Session && len(r.Effect.Classes()) > 0
	if !idPattern.MatchString(r.ID) || !idPattern.MatchString(r.SessionID) {
		return nil, fmt.Errorf("ask: the ids %q and %q must match %s", clip(r.ID, 100), clip(r.SessionID, 100), idPattern)
	}
	data, err := encode(r)
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	if len(data) > maxRequestBytes {
		return nil, fmt.Errorf("ask: %w: it has %d bytes, the limit is %d", ErrTooLong, len(data), maxRequestBytes)
	}
	err = d.locked(ctx, func() error {
		for _, name := range []string{questionFile(r.ID), verdictFile(r.ID)} {
			if _, err := d.root.Root().Lstat(name); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("the id %s is taken: %w", r.ID, errors.Join(fs.ErrExist, err))
			}
		}
		open, err := d.open(ctx)
		if err != nil {
			return err
		}
		if len(open) >= maxOpen {
			return fault.New(fault.Overloaded, "%d questions wait for an answer", len(open)).
				WithHint("answer some with belay decision")
		}
		return durable.WriteFile(d.root.Root(), questionFile(r.ID), data, 0o600, durable.Question)
	})
	if err != nil {
		return nil, fmt.Errorf("ask: %w", storage(err))
	}
	return &Pending{requests: d, Request: r}, nil
}

// Reopen takes up an open question that a process asked which has died. It is
// false where there is none of that id; [Requests.Verdict] knows the answered ones.
func (d *Requests) Reopen(id string) (*Pending, bool, error) {
	r, err := d.question(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err == nil:
		if _, err := d.answer(id); err == nil {
			return nil, false, nil // the process that answered is about to remove it
		}
	default:
		return nil, false, fmt.Errorf("take up the question %s: %w", clip(id, 100), err)
	}
	return &Pending{requests: d, Request: r}, true, nil
}

// ID is the decision's id.
func (p *Pending) ID() string { return p.Request.ID }

// Wait returns the answer when there is one. When the question's time is over,
// that is a denial; should the record of it fail, it is returned with the error.
// A record that is malformed, or that 50 looks in a row cannot read, is a denial. When ctx is done first, its error is
// returned and the question stays.
func (p *Pending) Wait(ctx context.Context) (Decision, error) {
	d, r := p.requests, p.Request
	woken, forget, err := d.waiters.add(r.ID)
	if err != nil {
		return Decision{}, err
	}
	defer forget()
	tick := time.NewTicker(d.o.Poll)
	defer tick.Stop()
	var late <-chan time.Time
	var timer *time.Timer
	if !r.Expires.IsZero() {
		timer = time.NewTimer(max(0, r.Expires.Sub(d.o.Clock())))
		defer timer.Stop()
		late = timer.C
	}
	for failed := 0; ; {
		gone := d.gone(r.ID)
		answer, ok, err := d.Verdict(r.ID)
		if failed++; err == nil {
			failed = 0
		}
		switch {
		case ok && !answer.Timeout:
			d.o.Audit.look() // another process may have written the line about it
			return answer, nil
		case d.expired(r):
			return p.expire()
		case err != nil && !gone && (errors.Is(err, errMalformed) || failed == maxFailedLooks):
			return d.unreadable(r.ID), nil
		case err == nil && !ok && gone:
			return Decision{DecisionID: r.ID, Verdict: VerdictDeny, By: ByBelay, Note: "the session was deleted", Time: d.o.Clock().UTC()}, nil
		}
		select {
		case <-ctx.Done():
			return Decision{}, fmt.Errorf("wait for the decision: %w", context.Cause(ctx))
		case _, ok := <-woken:
			if !ok {
				return Decision{}, ErrClosed
			}
		case <-tick.C:
		case <-late:
			// A clock that is not the timer's may say that there is time left.
			timer.Reset(max(d.o.Poll, r.Expires.Sub(d.o.Clock())))
		}
	}
}

// maxFailedLooks is how many looks in a row may fail before an answer counts as damaged: a
// process may have too many files open for a moment.
const maxFailedLooks = 50

// gone reports whether the question was taken away.
func (d *Requests) gone(id string) bool {
	_, err := d.root.Root().Lstat(questionFile(id))
	return errors.Is(err, fs.ErrNotExist)
}

// expire records that nobody answered.
func (p *Pending) expire() (Decision, error) {
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	answer, _, err := p.requests.settle(ctx, p.Request, p.requests.late(p.Request))
	if errors.Is(err, fs.ErrNotExist) {
		return p.requests.late(p.Request), nil // the session is gone
	}
	if err != nil {
		return p.requests.late(p.Request), fmt.Errorf("record that nobody answered: %w", storage(err))
	}
	return answer, nil
}

// Withdraw closes the question without a person: by says who does, note why. It
// returns the decision that counts: an answer that came before stands.
func (p *Pending) Withdraw(by, note string) (Decision, error) {
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	own := Decision{DecisionID: p.Request.ID, Verdict: VerdictDeny, By: by, Note: note, Time: p.requests.o.Clock().UTC()}
	counts, _, err := p.requests.settle(ctx, p.Request, own)
	if errors.Is(err, fs.ErrNotExist) {
		return own, nil // the session is gone
	}
	if err != nil {
		return own, fmt.Errorf("withdraw the question %s: %w", p.Request.ID, storage(err))
	}
	return counts, nil
}
