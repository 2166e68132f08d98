package turn

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/blank"
	"belay/internal/model"
	"belay/internal/session"
)

// noAnswer stands in the conversation for an answer that never came: providers
// want the roles to alternate.
const noAnswer = "(This turn ended without an answer.)"

// noMessage stands for words that are not in the transcript any more: a text
// must not be blank.
const noMessage = "(This message is missing.)"

// missingResult bounds what a result that had to be made up adds, in bytes.
const missingResult = 256

// exchange is one earlier turn: what the person sent, and every message that
// followed.
type exchange struct {
	turn    string
	message string
	warning string
	items   []attachment.Item
	// lines are what followed, until the exchange is closed.
	lines []session.Entry
	// folded is how many of its first answers a summary stands for.
	folded int
	// shown are the files that tools showed.
	shown []shown
	// asked is what the person sent, as the model gets it again; it is nil
	// where attachments have to be planned for the model first.
	asked []model.Content
	// replies alternate from the assistant; tool results are the user's.
	replies []model.Message
	// load is everything but the attachments.
	load load
	size int64
}

// shown are the files of one tool result.
type shown struct {
	call  string
	items []attachment.Item
}

// hasFiles reports whether something of the exchange has to be planned for the
// model at hand.
func (x *exchange) hasFiles() bool { return len(x.items) > 0 || len(x.shown) > 0 }

// plain reports whether the exchange is sent as it is.
func (x *exchange) plain() bool { return !x.hasFiles() && x.folded == 0 }

// unfolded are the lines that no summary stands for; the last answer is always
// among them.
func (x *exchange) unfolded() []session.Entry {
	var answers []int
	for i, e := range x.lines {
		if e.Kind == session.EntryAssistant {
			answers = append(answers, i)
		}
	}
	if x.folded = max(0, min(x.folded, len(answers)-1)); x.folded == 0 {
		return x.lines
	}
	return x.lines[answers[x.folded]:]
}

// reply adds an answer, tool results, or what a person said in between.
func (x *exchange) reply(e session.Entry) {
	m := model.Message{Role: model.Assistant}
	if e.Kind != session.EntryAssistant {
		m.Role = model.User
	}
	if e.Kind == session.EntryInput {
		m.Content = x.heard(e)
	}
	for _, b := range e.Blocks {
		var c model.Content
		switch {
		case m.Role == model.User && b.Type == session.BlockToolResult:
			c = toolOutput(b)
			if len(b.Items) > 0 {
				x.shown = append(x.shown, shown{b.ID, b.Items})
			}
		case m.Role == model.User:
			continue
		case b.Type == session.BlockText && strings.TrimSpace(b.Text) != "":
			c = model.Text{Text: b.Text}
		case b.Type == session.BlockToolCall:
			c = toolCall(b)
			x.size += missingResult // should it turn out to have none
		default:
			// Reasoning of a finished turn is not sent again: its signature
			// holds for one model, and providers drop it themselves.
			continue
		}
		x.size += int64(len(b.Text)+len(b.Input)+len(b.Name)+len(b.ID)) + 64
		m.Content = append(m.Content, c)
	}
	if len(m.Content) == 0 {
		return
	}
	if n := len(x.replies); n > 0 && x.replies[n-1].Role == m.Role {
		x.replies[n-1].Content = append(x.replies[n-1].Content, m.Content...)
		return
	}
	x.replies = append(x.replies, m)
}

// heard is an input as later turns repeat it. Its files are delivered with those
// that the exchange began with.
func (x *exchange) heard(e session.Entry) []model.Content {
	words := spoken(e.Message)
	if n := len(e.Attachments); n > 0 {
		x.items = append(x.items[:len(x.items):len(x.items)], e.Attachments...)
		words += fmt.Sprintf("\n\n[With this came %d files; they are shown above, where this exchange begins.]", n)
	}
	content := media(model.NewPrompt(e.Warning, words, nil).Parts())
	x.size += int64(len(e.Warning)+len(words)) + 64
	return content
}

// close makes the exchange end with an answer and every call have its result.
func (x *exchange) close() {
	for _, e := range x.unfolded() {
		x.reply(e)
	}
	x.lines = nil
	x.size += int64(len(x.message)+len(x.warning)) + 128
	x.replies = paired(x.replies)
	if n := len(x.replies); n == 0 || x.replies[n-1].Role == model.User {
		x.replies = append(x.replies, model.Message{Role: model.Assistant, Content: []model.Content{model.Text{Text: noAnswer}}})
		x.size += int64(len(noAnswer)) + 64
	}
	x.load = load{bytes: jsonBytes(x.size), tokens: tokens(int(x.size))}
	if blank.Is(x.message+x.warning) && len(x.items) == 0 {
		x.message = noMessage
	}
	if !x.hasFiles() {
		x.asked = media(model.NewPrompt(x.warning, x.message, nil).Parts())
	}
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
		if _, result := c.(model.ToolOutput); !result {
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
		if o, ok := c.(model.ToolOutput); ok {
			byID[o.CallID] = o
		}
	}
	out := make([]model.Content, len(calls))
	for i, id := range calls {
		o, ok := byID[id]
		if !ok {
			o = toolOutput(session.Block{ID: id, Text: resultUnknown, Failed: true})
		}
		out[i] = o
	}
	return out
}

// toolCall is a call as it is sent again. Its input is an object: providers take
// nothing else, and a call without arguments may have been kept without one.
func toolCall(b session.Block) model.ToolCall {
	input := bytes.TrimSpace(b.Input)
	if len(input) == 0 || input[0] != '{' {
		input = []byte("{}")
	}
	return model.ToolCall{ID: b.ID, Name: b.Name, Input: input}
}

func toolOutput(b session.Block) model.ToolOutput {
	return model.ToolOutput{CallID: b.ID, Parts: []attachment.Part{attachment.TextPart{Text: b.Text}}, Failed: b.Failed}
}
