package recovery

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn/ending"
)

// trace is what the log has of a turn.
type trace struct {
	seen map[event.Type]bool
	// asked are the questions that were put, in their order, resolved those whose
	// answer is in the log, by their ids.
	asked    []event.Permission
	resolved map[string]bool
	// helper is the subagent that has not ended.
	helper *event.Subagent
	totals *event.Tokens
	// calls are those that were not permitted.
	calls event.Calls
	// results are those of calls, and sent the files that went to people.
	results []event.ToolOutcome
	sent    []event.SentFile
	// text is what was said since the last model call that ended.
	text strings.Builder
}

// asks reports whether a question was put.
func (t *trace) asks(id string) bool {
	return slices.ContainsFunc(t.asked, func(p event.Permission) bool { return p.DecisionID == id })
}

// retrace reads a turn's events. Memory: the text of one answer.
func retrace(ctx context.Context, store *session.Store, lease *session.Lease, begun session.Entry) (*trace, error) {
	r, err := store.Reader(ctx, lease.Record().SessionID, begun.After)
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
			t.calls.Add(d.Outcome, d.LeftOut)
			t.results = append(t.results, d)
		}
	case event.AttachmentAdd:
		var f event.SentFile
		if json.Unmarshal(e.Data, &f) == nil {
			t.sent = append(t.sent, f)
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
	case ending.Done:
		all = append([]event.Draft{{Type: event.ChatComplete, Data: event.Text{Text: answer}}}, ending.Complete(event.Complete{StopReason: reason})...)
	case ending.Interrupted:
		all = ending.Interruption()
	default:
		if all = failure; all == nil || code != ending.Failed {
			all = ending.Failure(ending.Died(), code)
		}
	}
	var drafts []event.Draft
	for _, d := range ending.WithCalls(all, t.calls) {
		if !t.seen[d.Type] {
			drafts = append(drafts, d)
		}
	}
	return drafts
}

// usageOf reads the totals of a usage event.
func usageOf(e event.Event) *event.Tokens {
	var u event.UsageReport
	if json.Unmarshal(e.Data, &u) != nil {
		return nil
	}
	return &u.Totals
}
