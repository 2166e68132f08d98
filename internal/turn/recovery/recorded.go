package recovery

import (
	"slices"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn/ending"
)

// The log of a turn may lose its end in a power cut, or have been dropped since.
// The transcript of a turn that ended is kept, and says enough for a client that
// asks for the turn again.

// RecordedEnd is the end of a turn as the transcript has it, as events with
// sequence 0.
func RecordedEnd(clock func() time.Time, rec session.Record, entries []session.Entry, turnID string) ([]event.Event, error) {
	begun, ok := session.FindTurn(entries, turnID)
	if !ok {
		return nil, session.NoSuchTurn(rec.SessionID, turnID)
	}
	drafts := []event.Draft{recordedInit(rec, begun)}
	code, reason := ending.Failed, ""
	if end, ok := session.EndOf(entries, turnID); ok {
		if end.ExitCode != nil {
			code, reason = *end.ExitCode, end.StopReason
		}
		if end.Usage != nil {
			drafts = append(drafts, event.Draft{Type: event.Usage, Data: event.UsageReport{Tokens: *end.Usage, Totals: *end.Usage}})
		}
	}
	drafts = append(drafts, (&trace{}).missing(code, reason, answerOf(entries, turnID), nil)...)
	return Synthetic(clock, turnID, drafts), nil
}

// recordedInit is the first event of a turn, as far as the record has what it says.
func recordedInit(rec session.Record, begun session.Entry) event.Draft {
	mode := event.PromptString
	if len(begun.Attachments) > 0 {
		mode = event.PromptBlocks
	}
	return event.Draft{Type: event.SessionInit, Data: event.Init{
		ClaudeSessionID: rec.ClaudeSessionID, Model: rec.Model, TurnID: begun.Turn, PromptMode: mode,
		Tools: []string{}, Warnings: []event.Warning{},
	}}
}

// answerOf is the text of a turn's last answer.
func answerOf(entries []session.Entry, turnID string) string {
	for _, e := range slices.Backward(entries) {
		if e.Kind != session.EntryAssistant || e.Turn != turnID || e.Agent != "" {
			continue
		}
		var text strings.Builder
		for _, b := range e.Blocks {
			if b.Type == session.BlockText {
				text.WriteString(b.Text)
			}
		}
		return text.String()
	}
	return ""
}
