package turn

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

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
	return errors.Join(l.settleRecord(ctx, lease), lease.Release())
}

// settleRecord ends the turn that a crash left open, in the log and in the
// transcript. The caller holds the lease. A turn writes its end to the
// transcript first and process:exit to the log last, so either may be missing.
func (l *Local) settleRecord(ctx context.Context, lease *session.Lease) error {
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
	code, now := exitFailed, session.Time{Time: l.o.Clock()}
	end := []session.Entry{{Kind: session.EntryEnd, Turn: id, Time: now, ExitCode: &code}}
	if said, err := l.said(ctx, lease, id); err != nil {
		return err
	} else if said != "" {
		end = append([]session.Entry{{
			Kind: session.EntryAssistant, Turn: id, Time: now, Model: lease.Record().Model, Partial: true,
			Blocks: []session.Block{{Type: session.BlockText, Text: said}},
		}}, end...)
	}
	return lease.Append(end...)
}

// said is the text that readers of the log got from an answer that is not in
// the transcript: what was said must not be lost for the model either.
func (l *Local) said(ctx context.Context, lease *session.Lease, id string) (string, error) {
	entries := lease.Entries()
	begun, ok := findTurn(entries, id)
	if !ok || lastEntry(entries).Kind == session.EntryAssistant {
		return "", nil
	}
	r, err := l.o.Store.Reader(ctx, lease.Record().SessionID, begun.After)
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }() // a reader holds nothing but a place
	var text strings.Builder
	for r.After() < lease.LastSeq() {
		events, err := r.Next(ctx)
		if err != nil {
			return "", err
		}
		for _, e := range events {
			var d event.Text
			if e.Type == event.ChatDelta && e.Turn == id && json.Unmarshal(e.Data, &d) == nil {
				text.WriteString(d.Text)
			}
		}
	}
	return text.String(), nil
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
