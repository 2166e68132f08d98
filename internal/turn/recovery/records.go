// Package recovery puts turns right whose processes died, or could not write. The caller
// holds the lease of the session.
//
// [SuspendedTurns] finds a turn that waited for a person, and where its agents stood:
// package turn goes on with it. [Records] ends any other, in the transcript and in the log.
// [UnrecordedEnds] are the ends of turns that the log did not take.
package recovery

import (
	"context"
	"time"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn/agent"
	"belay/internal/turn/changes"
	"belay/internal/turn/ending"
)

// Requests are the questions of turns whose processes died, with the answers that were
// given since; [permit.Requests] has them.
type Requests interface {
	List(ctx context.Context, sessionID string) ([]permit.Request, error)
	// Verdict knows the answers given while nobody waited; Reopen takes up a
	// question whose asker died.
	Verdict(id string) (permit.Decision, bool, error)
	Reopen(id string) (*permit.Pending, bool, error)
}

// Records completes the records of turns that a crash or a full disk left
// without an end.
type Records struct {
	Store     *session.Store
	Files     *changes.Files
	Questions agent.Questions
	Requests  Requests // nil where nobody can be asked
	Audit     *permit.Audit
	Ends      *UnrecordedEnds
	Clock     func() time.Time
}

// Settle ends the turn that a crash or a full disk left open, in the
// transcript and in the log. The caller holds the lease.
//
// A turn writes its end to the transcript first and process:exit to the log
// last, and so does the repair: whatever it was that died, doing this again adds
// only what is still missing.
func (r *Records) Settle(ctx context.Context, lease *session.Lease) error {
	return r.settle(ctx, lease, ending.Failed, session.StopProcessEnded)
}

// Interrupt is Settle where a person gives the turn up: it ends as one that was interrupted.
func (r *Records) Interrupt(ctx context.Context, lease *session.Lease) error {
	return r.settle(ctx, lease, ending.Interrupted, "")
}

// settle ends the turn that is open with an exit code and a stop reason.
func (r *Records) settle(ctx context.Context, lease *session.Lease, code int, stop string) error {
	err := r.settleTurn(ctx, lease, code, stop)
	if err == nil {
		r.Ends.drop(lease.Record().SessionID)
	}
	return err
}

func (r *Records) settleTurn(ctx context.Context, lease *session.Lease, code int, stop string) error {
	entries := lease.Entries()
	last := session.LastStep(entries)
	begun, known := session.FindTurn(entries, last.Turn)
	if !known {
		return r.settleLog(ctx, lease)
	}
	ended := last.Kind == session.EntryEnd
	_, open := lease.DanglingTurn()
	if ended {
		if err := r.settleFindings(ctx, lease); err != nil {
			return err
		}
		// A turn that failed may have left a question that it could not close.
		if last.ExitCode != nil && *last.ExitCode != ending.Done {
			if err := r.WithdrawQuestions(ctx, lease, last.Turn); err != nil {
				return err
			}
		}
		if !open && begun.After != lease.LastSeq() {
			return nil
		}
	}
	logged, err := retrace(ctx, r.Store, lease, begun)
	if err != nil {
		return err
	}
	reason := ""
	if ended && last.ExitCode != nil {
		code, reason = *last.ExitCode, last.StopReason
	}
	missing := logged.missing(code, reason, answerOf(lease.Entries(), begun.Turn), r.Ends.drafts(lease.Record().SessionID, begun.Turn))
	if !ended {
		if err := r.settleTranscript(ctx, lease, last, logged, code, stop); err != nil {
			return unsettled(r.Clock, begun.Turn, missing, err)
		}
	}
	var drafts []event.Draft
	if !logged.seen[event.SessionInit] {
		drafts = append(drafts, recordedInit(lease.Record(), begun))
	}
	drafts = append(append(drafts, r.closedSince(logged)...), logged.unsent(lease.Entries(), begun.Turn)...)
	drafts = append(drafts, missing...)
	// Anyone who sees the end of a turn knows that its record is on disk.
	if err := lease.Commit(ctx); err != nil {
		return unsettled(r.Clock, begun.Turn, drafts, err)
	}
	return unsettled(r.Clock, begun.Turn, drafts, emit(lease, begun.Turn, drafts))
}

// settleFindings puts on record what commands of turns that have ended did, as far
// as that was found out later.
func (r *Records) settleFindings(ctx context.Context, lease *session.Lease) error {
	late, recorded, err := r.Files.Recover(ctx, lease, "")
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
// kept (it must not be lost for the model either), what people were sent, and the end of
// the turn.
func (r *Records) settleTranscript(ctx context.Context, lease *session.Lease, last session.Entry, logged *trace, code int, stop string) error {
	said := logged.text.String()
	now := session.Time{Time: r.Clock()}
	end := session.Entry{Kind: session.EntryEnd, Turn: last.Turn, Time: now, ExitCode: &code, StopReason: stop, Usage: logged.totals, Audit: (*session.AuditPosition)(r.Audit.Position())}
	entries := logged.unrecorded(lease.Entries(), last.Turn, now)
	if said != "" && last.Kind != session.EntryAssistant {
		entries = append(entries, session.Entry{
			Kind: session.EntryAssistant, Turn: last.Turn, Time: now, Model: lease.Record().Model, Partial: true,
			Blocks: []session.Block{{Type: session.BlockText, Text: said}},
		})
	}
	late, recorded, err := r.Files.Recover(ctx, lease, last.Turn)
	if err != nil {
		return err
	}
	entries = append(entries, late...)
	// What was said into the turn and never heard is not lost either.
	inputs, err := lease.TakeInputs(last.Turn)
	if err != nil {
		return err
	}
	entries = append(entries, agent.InputEntries(last.Turn, inputs)...)
	if err := r.WithdrawQuestions(ctx, lease, last.Turn); err != nil {
		return err
	}
	if err := lease.Append(append(entries, end)...); err != nil {
		return err
	}
	recorded()
	return nil
}

// settleLog ends a turn that only the log knows of: the transcript was cut.
func (r *Records) settleLog(ctx context.Context, lease *session.Lease) error {
	id, open := lease.DanglingTurn()
	if !open {
		return nil
	}
	logged, err := retrace(ctx, r.Store, lease, session.Entry{Turn: id})
	if err != nil {
		return err
	}
	drafts := logged.missing(ending.Failed, "", "", nil)
	return unsettled(r.Clock, id, drafts, emit(lease, id, drafts))
}

func emit(lease *session.Lease, turnID string, drafts []event.Draft) error {
	_, err := lease.Emit(turnID, drafts...)
	return err
}
