package cli

import (
	"encoding/json"
	"fmt"

	"belay/internal/event"
)

// decode reads an event's payload into the type that its table names.
func decode(e event.Event) (any, error) {
	var d any
	switch e.Type {
	case event.SessionInit:
		d = &event.Init{}
	case event.ChatDelta, event.ChatThinking, event.ChatComplete:
		d = &event.Text{}
	case event.ToolCall:
		d = &event.ToolUse{}
	case event.ToolOutput:
		d = &event.LiveOutput{}
	case event.ToolResult:
		d = &event.ToolOutcome{}
	case event.PermissionAsked:
		d = &question{}
	case event.PermissionGiven:
		d = &event.Verdict{}
	case event.AttachmentInput:
		d = &event.Attachment{}
	case event.AttachmentAdd:
		d = &event.SentFile{}
	case event.SubagentStart, event.SubagentEnd:
		d = &event.Subagent{}
	case event.TurnInput:
		d = &event.Input{}
	case event.Usage:
		d = &event.UsageReport{}
	case event.TurnWarning:
		d = &event.Warning{}
	case event.SessionComplete:
		d = &event.Complete{}
	case event.TurnError:
		d = &event.Failure{}
	case event.ProcessExit:
		d = &event.Exit{}
	case event.LogGap:
		d = &event.Gap{}
	default:
		return nil, nil // of a newer server, or process:exit says it as well
	}
	if err := json.Unmarshal(e.Data, d); err != nil {
		return nil, fmt.Errorf("event %d (%s) is not readable: %w", e.Seq, e.Type, err)
	}
	return d, nil
}
