package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"belay/internal/event"
	"belay/internal/render"
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

// liveLines is what a command has written while it runs, as a terminal shows it: whole lines,
// as they come.
type liveLines struct {
	// rest is the line that has no end yet, shown how many lines were printed.
	rest  string
	shown int
}

// maxLiveLines is how many lines of a command are printed while it runs: a terminal cannot
// take them back. maxLiveLine is how much of a line is kept that does not end, in bytes.
const (
	maxLiveLines = 200
	maxLiveLine  = 4 << 10
)

// wrote prints what a command writes. Only a terminal shows it: a file gets the result.
func (w *watcher) wrote(d *event.LiveOutput) {
	if !w.c.errTerminal || d.Tail {
		return
	}
	key := callKey(d.ParentToolCallID, d.ToolCallID)
	if w.calls[key] == nil {
		return // it has its result: a background job goes on
	}
	if w.live == nil {
		w.live = map[string]*liveLines{}
	}
	if w.live[key] == nil {
		w.live[key] = &liveLines{}
	}
	l := w.live[key]
	l.rest += d.Text
	for l.shown <= maxLiveLines {
		text, rest, whole := strings.Cut(l.rest, "\n")
		if !whole {
			break
		}
		l.rest = rest
		w.liveLine(l, text)
	}
	if over := len(l.rest) - maxLiveLine; over > 0 {
		l.rest = l.rest[over:]
	}
}

// liveLine prints a line, or once that there is more.
func (w *watcher) liveLine(l *liveLines, text string) {
	if text = clean(render.WithoutSequences(render.Overwritten(text))); l.shown == maxLiveLines {
		text = "… it writes more, which is not shown here"
	}
	l.shown++
	w.breakLine()
	_, _ = io.WriteString(w.c.err, strings.Repeat(" ", noteCells)+w.c.paint(styleQuiet, w.c.clipped(text, noteCells))+"\n") // the sink keeps its first error
}
