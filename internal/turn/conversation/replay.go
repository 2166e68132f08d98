package conversation

import (
	"slices"

	"belay/internal/model"
	"belay/internal/session"
)

// Replay takes up the conversation of an agent whose process died, from its lines in the
// transcript. It returns the last answer, nil where there is none.
func (w *Window) Replay(entries []session.Entry) (last *Answer) {
	for _, e := range entries {
		if e.Kind == session.EntryAssistant {
			last = &Answer{Blocks: e.Blocks, Calls: CallsOf(e.Blocks)}
			w.calls = append(w.calls, NewModelCall(last, nil, nil))
			continue
		}
		if e.Kind == session.EntrySummary {
			w.fresh = summaryOf(e)
		}
		if len(w.calls) == 0 {
			continue
		}
		m := w.calls[len(w.calls)-1]
		switch e.Kind {
		case session.EntryTools:
			for _, b := range e.Blocks {
				m.results = append(m.results, Result{Block: b})
			}
		case session.EntryInput:
			m.inputs = append(m.inputs, session.Input{Message: e.Message, Mode: e.Mode, Items: e.Attachments, Links: e.Links, Warning: e.Warning, Time: e.Time})
		}
	}
	return last
}

// Complete adds results that the last call lacked. Afterwards each call has one result
// for each tool call of its answer, in their order: providers take nothing else.
func (w *Window) Complete(results []Result) {
	m := w.calls[len(w.calls)-1]
	m.results = append(m.results, results...)
	for _, m := range w.calls {
		m.inOrder()
	}
}

func (m *ModelCall) inOrder() {
	given := m.results
	m.results = nil
	for _, c := range m.answer.Content {
		call, ok := c.(model.ToolCall)
		if !ok {
			continue
		}
		r := Result{Block: session.Block{Type: session.BlockToolResult, ID: call.ID, Name: call.Name, Text: ResultUnknown, Failed: true}}
		for _, g := range slices.Backward(given) {
			if g.ID == call.ID {
				r = g
				break
			}
		}
		m.results = append(m.results, r)
	}
}
