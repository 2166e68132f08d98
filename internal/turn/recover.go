package turn

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
)

// StopProcessEnded is the stop reason, in the transcript, of a turn whose process
// died in the middle of it. The log tells of it as an error.
const StopProcessEnded = "process_ended"

// heal writes the end of a turn whose process died, so that nobody waits for a
// process:exit that will never come. It reports whether somebody is at work in
// the session instead, or the session is a copy that nobody works in.
func (l *Local) heal(ctx context.Context, id string) (alive bool, err error) {
	if _, _, running := l.o.Store.Running(id); running || l.closing.Err() != nil {
		return true, nil // while the engine is being closed, the next one heals
	}
	lease, err := l.o.Store.Acquire(ctx, id)
	switch {
	case errors.Is(err, session.ErrBusy):
		return true, nil
	case fault.Is(err, fault.SessionReadOnly):
		return false, nil
	case err != nil:
		return false, err
	}
	p, err := l.paused(ctx, lease)
	if err != nil {
		return false, errors.Join(err, lease.Release())
	}
	if p == nil {
		// Nothing runs here, so nobody waits for an answer: not even to the question
		// of a turn of which a power cut left nothing else.
		return false, errors.Join(l.settleRecord(ctx, lease), l.withdrawQuestions(ctx, lease, ""), lease.Release())
	}
	return true, l.resume(context.WithoutCancel(ctx), lease, p)
}

// settleDead puts on record how a turn ended whose process died, for those who ask
// what it did. One that waits for a decision is left to a process that takes it
// up, and a session that somebody works in, or nobody may, as it is. A turn that has
// said how it ended has given the session back before.
func (l *Local) settleDead(ctx context.Context, id string) error {
	if !l.o.Store.Died(id) && !l.left(ctx, id) {
		return nil
	}
	var lease *session.Lease
	err := l.whenFree(ctx, id, func() (err error) {
		lease, err = l.o.Store.Acquire(ctx, id)
		return err
	})
	if errors.Is(err, session.ErrBusy) || fault.Is(err, fault.SessionReadOnly) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := l.waiting(ctx, lease)
	if err == nil && p == nil {
		err = l.settleRecord(ctx, lease)
	}
	return errors.Join(err, lease.Release())
}

// settleRecord ends the turn that a crash or a full disk left open, in the
// transcript and in the log. The caller holds the lease.
//
// A turn writes its end to the transcript first and process:exit to the log
// last, and so does the repair: whatever it was that died, doing this again adds
// only what is still missing.
func (l *Local) settleRecord(ctx context.Context, lease *session.Lease) error {
	err := l.settle(ctx, lease)
	if err == nil {
		l.found(lease.Record().SessionID)
	}
	return err
}

func (l *Local) settle(ctx context.Context, lease *session.Lease) error {
	entries := lease.Entries()
	last := lastEntry(entries)
	begun, known := findTurn(entries, last.Turn)
	if !known {
		return l.settleLog(ctx, lease)
	}
	ended := last.Kind == session.EntryEnd
	_, open := lease.DanglingTurn()
	if ended {
		if err := l.settleFindings(ctx, lease); err != nil {
			return err
		}
		// A turn that failed may have left a question that it could not close.
		if last.ExitCode != nil && *last.ExitCode != exitDone {
			if err := l.withdrawQuestions(ctx, lease, last.Turn); err != nil {
				return err
			}
		}
		if !open && begun.After != lease.LastSeq() {
			return nil
		}
	}
	told, err := l.retrace(ctx, lease, begun)
	if err != nil {
		return err
	}
	code, reason := exitFailed, ""
	if ended && last.ExitCode != nil {
		code, reason = *last.ExitCode, last.StopReason
	}
	missing := told.missing(code, reason, answerOf(lease.Entries(), begun.Turn), l.failure(lease.Record().SessionID, begun.Turn))
	if !ended {
		if err := l.settleTranscript(ctx, lease, last, told.text.String()); err != nil {
			return l.unsettled(begun.Turn, missing, err)
		}
	}
	var drafts []event.Draft
	if !told.seen[event.SessionInit] {
		drafts = append(drafts, recordedInit(lease.Record(), begun))
	}
	drafts = append(append(drafts, l.closedSince(told)...), missing...)
	// Whoever sees the end of a turn knows that its record is on disk.
	if err := lease.Commit(ctx); err != nil {
		return l.unsettled(begun.Turn, drafts, err)
	}
	return l.unsettled(begun.Turn, drafts, l.emitTo(lease, begun.Turn, drafts...))
}

// settleFindings puts on record what commands of turns that have ended did, as far
// as that was found out later.
func (l *Local) settleFindings(ctx context.Context, lease *session.Lease) error {
	late, recorded, err := l.aftermath(ctx, lease, "")
	if err != nil {
		return err
	}
	if len(late) > 0 {
		if err := lease.Append(late...); err != nil {
			return err
		}
	}
	recorded()
	return nil
}

// settleTranscript adds what readers of the log got from an answer that was not
// kept (it must not be lost for the model either) and the end of the turn.
func (l *Local) settleTranscript(ctx context.Context, lease *session.Lease, last session.Entry, said string) error {
	code, now := exitFailed, session.Time{Time: l.o.Clock()}
	end := session.Entry{Kind: session.EntryEnd, Turn: last.Turn, Time: now, ExitCode: &code, StopReason: StopProcessEnded, Audit: l.auditPosition()}
	var entries []session.Entry
	if said != "" && last.Kind != session.EntryAssistant {
		entries = append(entries, session.Entry{
			Kind: session.EntryAssistant, Turn: last.Turn, Time: now, Model: lease.Record().Model, Partial: true,
			Blocks: []session.Block{{Type: session.BlockText, Text: said}},
		})
	}
	late, recorded, err := l.aftermath(ctx, lease, last.Turn)
	if err != nil {
		return err
	}
	entries = append(entries, late...)
	// What was said into the turn and never heard is not lost either.
	inputs, err := lease.TakeInputs(last.Turn)
	if err != nil {
		return err
	}
	for _, in := range inputs {
		entries = append(entries, inputEntry(last.Turn, in))
	}
	if err := l.withdrawQuestions(ctx, lease, last.Turn); err != nil {
		return err
	}
	if err := lease.Append(append(entries, end)...); err != nil {
		return err
	}
	recorded()
	return nil
}

// settleLog ends a turn that only the log knows of: the transcript was cut.
func (l *Local) settleLog(ctx context.Context, lease *session.Lease) error {
	id, open := lease.DanglingTurn()
	if !open {
		return nil
	}
	told, err := l.retrace(ctx, lease, session.Entry{Turn: id})
	if err != nil {
		return err
	}
	drafts := told.missing(exitFailed, "", "", nil)
	return l.unsettled(id, drafts, l.emitTo(lease, id, drafts...))
}

func died() *fault.Error {
	return fault.New(fault.SDKFailure, "the process that ran this turn ended before it did").With("category", "PROCESS_ENDED")
}

// trace is what the log has of a turn.
type trace struct {
	seen map[event.Type]bool
	// asked are the questions that were put, in their order, resolved those whose
	// answer was told, by their ids.
	asked    []event.Permission
	resolved map[string]bool
	// helper is the subagent that has not ended.
	helper *event.Subagent
	totals *event.Tokens
	// calls are those that were not permitted.
	calls event.Calls
	// text is what was said since the last model call that ended.
	text strings.Builder
}

// retrace reads a turn's events. Memory: the text of one answer.
func (l *Local) retrace(ctx context.Context, lease *session.Lease, begun session.Entry) (*trace, error) {
	r, err := l.o.Store.Reader(ctx, lease.Record().SessionID, begun.After)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // a reader holds nothing but a place
	t := &trace{seen: map[event.Type]bool{}, resolved: map[string]bool{}}
	for r.After() < lease.LastSeq() {
		events, err := r.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if e.Turn == begun.Turn {
				t.add(e)
			}
		}
	}
	return t, nil
}

func (t *trace) add(e event.Event) {
	t.seen[e.Type] = true
	switch e.Type {
	case event.Usage: // the call's answer is in the transcript
		t.text.Reset()
		t.totals = usageOf(e)
	case event.PermissionGiven:
		var v event.Verdict
		if json.Unmarshal(e.Data, &v) == nil {
			t.resolved[v.DecisionID] = true
		}
	case event.PermissionAsked:
		var p event.Permission
		if json.Unmarshal(e.Data, &p) == nil {
			t.asked = append(t.asked, p)
		}
	case event.ToolResult:
		var d event.ToolOutcome
		if json.Unmarshal(e.Data, &d) == nil {
			t.calls.Add(d.Outcome)
		}
	case event.SubagentStart, event.SubagentEnd:
		t.helper = nil
		var a event.Subagent
		if e.Type == event.SubagentStart && json.Unmarshal(e.Data, &a) == nil {
			t.helper = &a
		}
	case event.ChatDelta:
		var d event.Text
		if json.Unmarshal(e.Data, &d) == nil {
			t.text.WriteString(d.Text)
		}
	}
}

// missing are the last events of a turn that the log does not have; answer is what
// the transcript has of its last words. How the turn failed is known where it did so
// in this process.
func (t *trace) missing(code int, reason, answer string, failure []event.Draft) []event.Draft {
	var all []event.Draft
	switch code {
	case exitDone:
		all = append([]event.Draft{{Type: event.ChatComplete, Data: event.Text{Text: answer}}}, completeDrafts(reason)...)
	case exitInterrupted:
		all = interruptedDrafts()
	default:
		if all = failure; all == nil || code != exitFailed {
			all = failureDrafts(died(), code)
		}
	}
	var drafts []event.Draft
	for _, d := range withCalls(all, t.calls) {
		if !t.seen[d.Type] {
			drafts = append(drafts, d)
		}
	}
	return drafts
}

func (l *Local) emitTo(lease *session.Lease, turnID string, d ...event.Draft) error {
	_, err := lease.Emit(turnID, d...)
	return err
}

// lastEntry is the last line about the course of a turn: one that is taken back
// later, or of which something was found out later, goes on no further.
func lastEntry(entries []session.Entry) session.Entry {
	for _, e := range slices.Backward(entries) {
		if e.Kind != session.EntryUndo && e.Kind != session.EntryChanges {
			return e
		}
	}
	return session.Entry{}
}
