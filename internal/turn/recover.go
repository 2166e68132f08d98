package turn

import (
	"context"
	"errors"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
)

// heal writes the end of a turn whose process died, so that nobody waits for a
// process:exit that will never come. It does nothing while a turn runs.
func (l *Local) heal(ctx context.Context, id string) error {
	if _, _, running := l.o.Store.Running(id); running {
		return nil
	}
	lease, err := l.o.Store.Acquire(ctx, id)
	if errors.Is(err, session.ErrBusy) || fault.Is(err, fault.SessionReadOnly) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(l.settleRecord(lease), lease.Release())
}

// settleRecord ends the turn that a crash left open, in the log and in the
// transcript. The caller holds the lease. A turn writes its end to the
// transcript first and process:exit to the log last, so either may be missing.
func (l *Local) settleRecord(lease *session.Lease) error {
	logged, open := lease.DanglingTurn()
	last := lastEntry(lease.Entries())
	ended := last.Kind == session.EntryEnd || last.Turn == ""
	if ended && !open {
		return nil
	}
	if ended && last.Turn == logged && last.ExitCode != nil {
		return l.emitTo(lease, logged, event.Draft{Type: event.ProcessExit, Data: event.Exit{ExitCode: *last.ExitCode}})
	}
	id := logged
	if !ended {
		id = last.Turn
	}
	died := fault.New(fault.SDKFailure, "the process that ran this turn ended before it did").With("category", "PROCESS_ENDED")
	if err := l.emitTo(lease, id, failureDrafts(died, exitFailed)...); err != nil || ended {
		return err
	}
	code := exitFailed
	return lease.Append(session.Entry{Kind: session.EntryEnd, Turn: id, Time: session.Time{Time: l.o.Clock()}, ExitCode: &code})
}

func (l *Local) emitTo(lease *session.Lease, turnID string, d ...event.Draft) error {
	_, err := lease.Emit(turnID, d...)
	return err
}

func lastEntry(entries []session.Entry) session.Entry {
	if len(entries) == 0 {
		return session.Entry{}
	}
	return entries[len(entries)-1]
}
