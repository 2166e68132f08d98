package conversation

import (
	"fmt"
	"strings"

	"belay/internal/attachment"
	"belay/internal/blank"
	"belay/internal/model"
	"belay/internal/session"
)

// noAnswer is in the conversation for an answer that never came: providers
// want the roles to alternate.
const noAnswer = "(This turn ended without an answer.)"

// noMessage stands for words that are not in the transcript any more: a text
// must not be blank.
const noMessage = "(This message is missing.)"

// exchange is one earlier turn: what the person sent, and every message that
// followed.
type exchange struct {
	// nth is its place among all: a damaged transcript may have a turn's id twice.
	nth     int
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
	// cost is everything but the attachments.
	cost cost
	size int64
}

// shown are the files of one tool result.
type shown struct {
	at    place
	items []attachment.Item
}

// place is where a result is among the replies of an exchange. Its call's id would not
// say it: some providers number the calls of each answer anew.
type place struct{ message, content int }

// toolResult is a tool's output with the files that the tool showed.
type toolResult struct {
	model.ToolOutput
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
		m.Content = x.input(e)
	}
	for _, b := range e.Blocks {
		var c model.Content
		switch {
		case m.Role == model.User && b.Type == session.BlockToolResult:
			c = toolResult{toolOutput(b), b.Items}
		case m.Role == model.User:
			continue
		case b.Type == session.BlockText && strings.TrimSpace(b.Text) != "":
			c = model.Text{Text: b.Text}
		case b.Type == session.BlockToolCall:
			c = ToolCall(b)
			x.size += missingResult + int64(len(b.Signature)) // should it turn out to have no result
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

// input is what a person said meanwhile, as later turns repeat it. Its files are delivered with those
// that the exchange began with.
func (x *exchange) input(e session.Entry) []model.Content {
	words := spoken(session.Spoken(e.Message, e.Links))
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
	lines := x.unfolded()
	for i, e := range lines {
		e.Links = session.BlockAt(lines, i)
		x.reply(e)
	}
	x.lines = nil
	x.size += int64(len(x.message)+len(x.warning)) + 128
	x.replies = paired(x.replies)
	x.takeShown()
	if n := len(x.replies); n == 0 || x.replies[n-1].Role == model.User {
		x.replies = append(x.replies, model.Message{Role: model.Assistant, Content: []model.Content{model.Text{Text: noAnswer}}})
		x.size += int64(len(noAnswer)) + 64
	}
	x.cost = cost{bytes: jsonBytes(x.size), tokens: Tokens(int(x.size))}
	if blank.Is(x.message+x.warning) && len(x.items) == 0 {
		x.message = noMessage
	}
	if !x.hasFiles() {
		x.asked = media(model.NewPrompt(x.warning, x.message, nil).Parts())
	}
}

// takeShown takes the files out of the results. Results without a call are gone by now,
// with their files.
func (x *exchange) takeShown() {
	for i, m := range x.replies {
		for k, c := range m.Content {
			r, ok := c.(toolResult)
			if !ok {
				continue
			}
			m.Content[k] = r.ToolOutput
			if len(r.items) > 0 {
				x.shown = append(x.shown, shown{place{i, k}, r.items})
			}
		}
	}
}
