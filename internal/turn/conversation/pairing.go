package conversation

import (
	"bytes"
	"slices"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/session"
)

// ResultUnknown stands for the result of a call that has none, and may have begun.
const ResultUnknown = "The turn ended while this call ran or before it did. What it was to change may have been changed: look before you call it again."

// missingResult bounds what a result that had to be made up adds, in bytes.
const missingResult = 256

// uniqueCalls returns the content without calls that cannot be sent (no name, no
// id, or an id twice), and the ids of the others.
func uniqueCalls(content []model.Content) (kept []model.Content, ids []string) {
	for _, c := range content {
		if call, ok := c.(model.ToolCall); ok {
			if call.ID == "" || call.Name == "" || slices.Contains(ids, call.ID) {
				continue
			}
			ids = append(ids, call.ID)
		}
		kept = append(kept, c)
	}
	return kept, ids
}

// results is one output for each call, in the calls' order.
func results(calls []string, given []model.Content) []model.Content {
	byID := map[string]model.Content{}
	for _, c := range given {
		if o, ok := c.(toolResult); ok {
			byID[o.CallID] = o
		}
	}
	out := make([]model.Content, len(calls))
	for i, id := range calls {
		o, ok := byID[id]
		if !ok {
			o = toolResult{ToolOutput: toolOutput(session.Block{ID: id, Text: ResultUnknown, Failed: true})}
		}
		out[i] = o
	}
	return out
}

// ToolCall is a call as it is sent again. Its input is an object: providers take
// nothing else, and a call without arguments may have been kept without one.
func ToolCall(b session.Block) model.ToolCall {
	input := bytes.TrimSpace(b.Input)
	if len(input) == 0 || input[0] != '{' {
		input = []byte("{}")
	}
	return model.ToolCall{ID: b.ID, Name: b.Name, Input: input, Signature: b.Signature}
}

func toolOutput(b session.Block) model.ToolOutput {
	return model.ToolOutput{CallID: b.ID, Parts: []attachment.Part{attachment.TextPart{Text: b.Text}}, Failed: b.Failed}
}

// CallsOf are the tool calls of an answer.
func CallsOf(blocks []session.Block) (calls []model.ToolCall) {
	for _, b := range blocks {
		if b.Type == session.BlockToolCall {
			calls = append(calls, ToolCall(b))
		}
	}
	return calls
}

// paired makes replies fit for sending whatever the transcript held: they begin
// with the assistant, the roles alternate, and the message after one with calls
// begins with exactly one result for each of them. Calls without a result get
// one that says so; results without a call are dropped. What a person said in
// between stays where it was.
func paired(replies []model.Message) []model.Message {
	var out []model.Message
	for i := range replies {
		if replies[i].Role != model.Assistant {
			out = spokenInto(out, replies[i].Content)
			continue
		}
		said, calls := uniqueCalls(replies[i].Content)
		if len(said) == 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Role == model.Assistant {
			// What lay between was dropped. Calls cannot be there: they would
			// have been answered.
			out[n-1].Content = append(out[n-1].Content, said...)
		} else {
			out = append(out, model.Message{Role: model.Assistant, Content: said})
		}
		if len(calls) == 0 {
			continue
		}
		var given []model.Content
		if i+1 < len(replies) && replies[i+1].Role == model.User {
			given = replies[i+1].Content
		}
		out = append(out, model.Message{Role: model.User, Content: results(calls, given)})
	}
	return out
}

// spokenInto adds what a person said, which is all of a message but its results:
// those were taken with the calls that they answer.
func spokenInto(out []model.Message, content []model.Content) []model.Message {
	var words []model.Content
	for _, c := range content {
		if _, result := c.(toolResult); !result {
			words = append(words, c)
		}
	}
	if len(words) == 0 {
		return out
	}
	if len(out) == 0 {
		out = append(out, model.Message{Role: model.Assistant, Content: []model.Content{model.Text{Text: noAnswer}}})
	}
	if last := &out[len(out)-1]; last.Role == model.User {
		last.Content = append(last.Content, words...)
		return out
	}
	return append(out, model.Message{Role: model.User, Content: words})
}
