package agent

import (
	"context"
	"io"

	"belay/internal/event"
	"belay/internal/tool/live"
)

// showLive shows the readers what the command of a call writes while it runs. It is over
// before the call has its result, or, for a background job, before the agent's work ends.
func (a *Run) showLive(ctx context.Context) io.WriteCloser {
	id, events := "", a.Events
	if c := callOf(ctx); c != nil {
		id = c.id
	}
	return live.New(live.Options{
		Redact: a.Redact, Interval: events.interval, Size: events.size,
		Show: func(texts []live.Text) error {
			drafts := make([]event.Draft, len(texts))
			for i, t := range texts {
				drafts[i] = event.Draft{Type: event.ToolOutput, Data: event.LiveOutput{
					ToolCallID: id, Offset: t.Offset, Text: t.Text, Tail: t.Tail, ParentToolCallID: a.agent,
				}}
			}
			err := events.Emit(drafts...)
			if err != nil {
				events.stop(recordFailure(err))
			}
			return err
		},
	})
}
