package turn

import (
	"context"
	"errors"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
)

// heal writes the end of a turn whose process died, so that nobody waits for a
// process:exit that will never come. It reports whether somebody is at work in
// the session instead, or the session is a copy that nobody works in.
func (l *Local) heal(ctx context.Context, id string) (alive bool, err error) {
	if _, _, running := l.o.Store.Signals.Running(id); running || l.closing.Err() != nil {
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
	p, err := l.suspended(ctx, lease)
	switch {
	case err != nil:
		return false, errors.Join(err, lease.Release())
	case p == nil:
		// Nothing runs here, so nobody waits for an answer: not even to the question
		// of a turn of which a power cut left nothing else.
		return false, errors.Join(l.settleRecord(ctx, lease), l.withdrawQuestions(ctx, lease, ""), lease.Release())
	case !l.stays.Load():
		return true, l.leaveWaiting(lease, p)
	}
	_, err = l.resume(lease, p)
	return true, err
}

// settleDead puts on record how a turn ended whose process died, for those who ask
// what it did. One that waits for a decision is left to a process that takes it
// up, and a session that somebody works in, or nobody may, as it is. A turn that has
// said how it ended has given the session back before.
func (l *Local) settleDead(ctx context.Context, id string) error {
	if !l.o.Store.Signals.Died(id) && !l.Files.Left(ctx, id) {
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
	return errors.Join(err, l.leaveWaiting(lease, p))
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
	last := session.LastStep(entries)
	begun, known := session.FindTurn(entries, last.Turn)
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
	logged, err := l.retrace(ctx, lease, begun)
	if err != nil {
		return err
	}
	code, reason := exitFailed, ""
	if ended && last.ExitCode != nil {
		code, reason = *last.ExitCode, last.StopReason
	}
	missing := logged.missing(code, reason, answerOf(lease.Entries(), begun.Turn), l.failure(lease.Record().SessionID, begun.Turn))
	if !ended {
		if err := l.settleTranscript(ctx, lease, last, logged.text.String()); err != nil {
			return l.unsettled(begun.Turn, missing, err)
		}
	}
	var drafts []event.Draft
	if !logged.seen[event.SessionInit] {
		drafts = append(drafts, recordedInit(lease.Record(), begun))
	}
	drafts = append(append(drafts, l.closedSince(logged)...), missing...)
	// Anyone who sees the end of a turn knows that its record is on disk.
	if err := lease.Commit(ctx); err != nil {
		return l.unsettled(begun.Turn, drafts, err)
	}
	return l.unsettled(begun.Turn, drafts, l.emitTo(lease, begun.Turn, drafts...))
}

// settleFindings puts on record what commands of turns that have ended did, as far
// as that was found out later.
func (l *Local) settleFindings(ctx context.Context, lease *session.Lease) error {
	late, recorded, err := l.Files.Recover(ctx, lease, "")
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
	end := session.Entry{Kind: session.EntryEnd, Turn: last.Turn, Time: now, ExitCode: &code, StopReason: session.StopProcessEnded, Audit: l.o.auditPosition()}
	var entries []session.Entry
	if said != "" && last.Kind != session.EntryAssistant {
		entries = append(entries, session.Entry{
			Kind: session.EntryAssistant, Turn: last.Turn, Time: now, Model: lease.Record().Model, Partial: true,
			Blocks: []session.Block{{Type: session.BlockText, Text: said}},
		})
	}
	late, recorded, err := l.Files.Recover(ctx, lease, last.Turn)
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
	logged, err := l.retrace(ctx, lease, session.Entry{Turn: id})
	if err != nil {
		return err
	}
	drafts := logged.missing(exitFailed, "", "", nil)
	return l.unsettled(id, drafts, l.emitTo(lease, id, drafts...))
}

func died() *fault.Error {
	return fault.New(fault.SDKFailure, "the process that ran this turn ended before it did").With("category", "PROCESS_ENDED")
}

func (l *Local) emitTo(lease *session.Lease, turnID string, d ...event.Draft) error {
	_, err := lease.Emit(turnID, d...)
	return err
}

// RecoverFiles settles the changes of files that dead processes left half done, in
// all projects, and puts them on the record of their sessions. A project that is
// gone is left out, and a session that somebody works in does it by itself.
func (l *Local) RecoverFiles(ctx context.Context) error {
	pending, err := l.o.Journal.Pending(ctx)
	if err != nil || len(pending) == 0 {
		return err
	}
	var errs []error
	done := map[string]bool{}
	for _, p := range pending {
		if !done[p.Project] {
			done[p.Project] = true
			errs = append(errs, l.Files.FinishProject(ctx, p.Project))
		}
	}
	for _, p := range pending {
		if id := p.Owner.Session; id != "" && !done[id] {
			done[id] = true
			if err := l.settleDead(ctx, id); !fault.Is(err, fault.SessionNotFound) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
