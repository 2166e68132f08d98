package turn

import (
	"fmt"
	"strings"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/session"
)

// noAnswer stands in the conversation for an answer that never came: providers
// want the roles to alternate.
const noAnswer = "(This turn ended without an answer.)"

// exchange is one earlier turn: what the person sent, and every message that
// followed.
type exchange struct {
	turn    string
	message string
	warning string
	items   []attachment.Item
	// asked is what the person sent, as the model gets it again; it is nil
	// where attachments have to be planned for the model first.
	asked []model.Content
	// replies alternate from the assistant; tool results are the user's.
	replies []model.Message
	// load is everything but the attachments.
	load load
	size int64
}

// memory is the conversation as far as it was read from the transcript. It is
// kept between turns, because a long conversation should not be read again for
// every answer. Its exchanges are never changed.
type memory struct {
	entries   int
	last      string // turn of the last entry read
	exchanges []exchange
}

// exchanges returns the conversation before the turn under way.
func (t *running) exchanges() []exchange {
	m, _ := t.lease.Memo().(memory)
	if len(t.lease.Tampered()) > 0 {
		m = memory{}
	}
	m = m.extend(t.lease.Entries(), t.id)
	t.lease.SetMemo(m)
	return m.exchanges
}

// extend reads what the transcript has gained, up to the current turn. The
// result can always be sent: roles alternate, every tool call has its result,
// and nothing half-said is replayed.
func (m memory) extend(entries []session.Entry, current string) memory {
	if m.entries > len(entries) || m.entries > 0 && entries[m.entries-1].Turn != m.last {
		m = memory{} // not the transcript that we knew
	}
	var open *exchange
	closeOpen := func() {
		if open != nil {
			open.close()
			m.exchanges = append(m.exchanges, *open)
			open = nil
		}
	}
	for _, e := range entries[m.entries:] {
		if e.Turn == current {
			break
		}
		m.entries++
		m.last = e.Turn
		switch e.Kind {
		case session.EntryTurn:
			closeOpen()
			open = &exchange{turn: e.Turn, message: e.Message, warning: e.Warning, items: e.Attachments}
		case session.EntryAssistant, session.EntryTools:
			if open != nil && open.turn == e.Turn {
				open.reply(e)
			}
		case session.EntryRequest, session.EntryEnd:
		}
	}
	closeOpen()
	return m
}

// reply adds an answer or tool results.
func (x *exchange) reply(e session.Entry) {
	m := model.Message{Role: model.Assistant}
	if e.Kind == session.EntryTools {
		m.Role = model.User
	}
	for _, b := range e.Blocks {
		x.size += int64(len(b.Text)+len(b.Input)+len(b.Name)) + 64
		switch b.Type {
		case session.BlockText:
			if strings.TrimSpace(b.Text) != "" {
				m.Content = append(m.Content, model.Text{Text: b.Text})
			}
		case session.BlockToolCall:
			m.Content = append(m.Content, model.ToolCall{ID: b.ID, Name: b.Name, Input: b.Input})
		case session.BlockToolResult:
			m.Content = append(m.Content, toolOutput(b))
		case session.BlockThinking:
			// Reasoning of a finished turn is not sent again: its signature
			// holds for one model, and providers drop it themselves.
		}
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

// close makes the exchange end with an answer and every call have its result.
func (x *exchange) close() {
	x.size += int64(len(x.message)+len(x.warning)) + 128
	x.replies = paired(x.replies)
	if n := len(x.replies); n == 0 || x.replies[n-1].Role == model.User {
		x.replies = append(x.replies, model.Message{Role: model.Assistant, Content: []model.Content{model.Text{Text: noAnswer}}})
		x.size += int64(len(noAnswer)) + 64
	}
	x.load = load{bytes: jsonBytes(x.size), tokens: tokens(int(x.size))}
	if len(x.items) == 0 {
		x.asked = media(model.NewPrompt(x.warning, x.message, nil).Parts())
	}
}

// paired gives every tool call without a result one that says so.
func paired(replies []model.Message) []model.Message {
	var out []model.Message
	for i, m := range replies {
		out = append(out, m)
		if m.Role != model.Assistant {
			continue
		}
		answered := map[string]bool{}
		if i+1 < len(replies) {
			for _, c := range replies[i+1].Content {
				if o, ok := c.(model.ToolOutput); ok {
					answered[o.CallID] = true
				}
			}
		}
		var missing []model.Content
		for _, c := range m.Content {
			if call, ok := c.(model.ToolCall); ok && !answered[call.ID] {
				missing = append(missing, toolOutput(session.Block{ID: call.ID, Text: "the turn ended before this call ran", Failed: true}))
			}
		}
		switch {
		case len(missing) == 0:
		case i+1 < len(replies):
			replies[i+1].Content = append(missing, replies[i+1].Content...)
		default:
			out = append(out, model.Message{Role: model.User, Content: missing})
		}
	}
	return out
}

func toolOutput(b session.Block) model.ToolOutput {
	return model.ToolOutput{CallID: b.ID, Parts: []attachment.Part{attachment.TextPart{Text: b.Text}}, Failed: b.Failed}
}

// message is the answer as the next request repeats it, reasoning included.
func (a *answer) message() model.Message {
	m := model.Message{Role: model.Assistant}
	for _, b := range a.blocks {
		switch b.Type {
		case session.BlockText:
			m.Content = append(m.Content, model.Text{Text: b.Text})
		case session.BlockThinking:
			m.Content = append(m.Content, model.Thinking{Text: b.Text, Signature: b.Signature, Redacted: b.Redacted})
		case session.BlockToolCall:
			m.Content = append(m.Content, model.ToolCall{ID: b.ID, Name: b.Name, Input: b.Input})
		}
	}
	return m
}

// elided is the exchange that stands for turns that no longer fit. It is a pair
// of its own so that the exchanges after it stay what they were.
func elided(n int) []model.Message {
	turns := "1 earlier turn"
	if n != 1 {
		turns = fmt.Sprintf("%d earlier turns", n)
	}
	note := "[" + turns + " of this conversation left out here to fit the model; the session's transcript has them.]"
	return []model.Message{
		{Role: model.User, Content: []model.Content{model.Text{Text: note}}},
		{Role: model.Assistant, Content: []model.Content{model.Text{Text: "(Noted.)"}}},
	}
}

// elidedLoad bounds what [elided] adds to a request.
func elidedLoad() load {
	const most = 256
	return load{bytes: most, tokens: tokens(most)}
}
