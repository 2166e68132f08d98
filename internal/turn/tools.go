package turn

import (
	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// runTools answers every call of the model. No tool exists yet, so each is told
// so, which lets the model go on without it.
func (t *running) runTools(a *answer) ([]model.Content, error) {
	if len(a.calls) == 0 {
		return nil, fault.New(fault.SDKFailure, "the model stopped for tools without calling one").
			WithStatus(502).With("category", "API_RESPONSE_ERROR")
	}
	e := session.Entry{Kind: session.EntryTools, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()}}
	var results []model.Content
	drafts := t.settle()
	for _, c := range a.calls {
		said := "there is no tool named " + c.Name
		drafts = append(drafts, event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: c.ID, Name: c.Name, Output: said}})
		e.Blocks = append(e.Blocks, session.Block{Type: session.BlockToolResult, ID: c.ID, Name: c.Name, Text: said, Failed: true})
		results = append(results, toolOutput(e.Blocks[len(e.Blocks)-1]))
	}
	// Readers first: a crash between the two must leave the answer as the
	// transcript's last word, or it would be taken from the log once more.
	if err := t.emit(drafts...); err != nil {
		return nil, err
	}
	return results, t.append(e)
}

// outputTokens estimates what tool results add to the next request.
func outputTokens(results []model.Content) int64 {
	size := 0
	for _, c := range results {
		if o, ok := c.(model.ToolOutput); ok {
			size += 64
			for _, p := range o.Parts {
				if text, ok := p.(attachment.TextPart); ok {
					size += len(text.Text)
				}
			}
		}
	}
	return tokens(size)
}
