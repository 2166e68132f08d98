package turn

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/tool"
)

// summary stands for the oldest turns of a conversation that outgrew the model.
// The turns themselves stay in the transcript.
type summary struct {
	// through is the last turn that it covers.
	through string
	text    string
}

// summaryAgent marks what the transcript keeps of the call that makes a summary.
const summaryAgent = "summary"

// What a summary may take of the room for the conversation: a part, up to a
// size; below the least it is not worth a call.
const (
	summaryPart  = 8
	summaryMost  = 2048 // tokens
	summaryLeast = 128
)

func summaryTokens(room load) int64 {
	n := min(room.tokens/summaryPart, summaryMost, room.bytes/summaryPart/(6*bytesPerToken))
	if n < summaryLeast {
		return 0
	}
	return n
}

// summaryLoad is what the exchange that stands for elided turns adds.
func summaryLoad(text string) load {
	size := int64(len(text))
	l := elidedLoad()
	return l.plus(load{bytes: jsonBytes(size), tokens: tokens(int(size))})
}

// covered is how many of the exchanges the summary stands for.
func (s summary) covered(all []exchange) int {
	if s.text == "" {
		return 0
	}
	return 1 + slices.IndexFunc(all, func(x exchange) bool { return x.turn == s.through })
}

const summaryPrompt = `You keep the notes of a long conversation between a person and an agent that works on files. The beginning of the conversation does not fit any more, and your summary will stand in its place.

Write what the agent needs to go on: what the person wants and has decided, what was found out, which files were read, made or changed and how they stand, what is still open. Keep names, paths, ids and numbers exactly. Leave out greetings and how things were said. Do not answer the person and do not call tools. Write plain text.`

// summarise asks the model for a summary of the turns that the plan leaves out
// and that none covers yet, and puts it on record. It is false when there is to
// be none: no room, no budget, or the call failed, which the person is told. An
// error ends the turn.
func (t *running) summarise(h *plan) (bool, error) {
	most := min(summaryTokens(t.room()), t.allowance().tokens)
	if most < summaryLeast {
		return false, nil
	}
	text := t.minutes(h)
	sub := &running{
		l: t.l, id: t.id, session: t.session, lease: t.lease, blobs: t.blobs, ctx: t.ctx, cancel: t.cancel, done: t.done,
		parent: t, agent: summaryAgent, spent: t.spent, settings: t.settings, limits: t.limits, tools: tool.NoTools(),
	}
	sub.inputTokens = tokens(len(text) + len(summaryPrompt))
	a, err := sub.call(&request{model.Request{
		Model: t.settings.model, System: []string{summaryPrompt}, Prompt: model.StringPrompt(text),
		MaxTokens: most, Mode: t.settings.mode, Summary: true,
	}})
	if t.ctx.Err() != nil {
		return false, t.ctx.Err()
	}
	said := ""
	if err == nil {
		said = strings.TrimSpace(cutText(a.said(), int(most)*bytesPerToken))
	}
	if said == "" {
		return false, t.warn("NOT_SUMMARISED", fmt.Sprintf("%d earlier turns no longer fit the model and are left out; their summary failed: %s", h.elided, why(err)))
	}
	t.fresh = summary{through: h.leftOut[len(h.leftOut)-1].turn, text: said}
	err = t.append(session.Entry{
		Kind: session.EntrySummary, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		Model: t.settings.model, Summary: said, Through: t.fresh.through,
	})
	if err == nil {
		err = t.warn("SUMMARISED", fmt.Sprintf("%d earlier turns no longer fit the model; it gets a summary of them, and the transcript keeps them", h.elided))
	}
	return true, err
}

func why(err error) string {
	if err == nil {
		return "the model said nothing"
	}
	return fault.From(err).Message
}

// minutes are the turns to be summarised as text, the newest where not all of it
// fits into half of the room, behind the summary that there is.
func (t *running) minutes(h *plan) string {
	room := t.room()
	left := min(room.tokens/2*bytesPerToken, room.bytes/2/6)
	var parts []string
	for _, x := range slices.Backward(h.leftOut) {
		one := x.minutes()
		if left -= int64(len(one)); left < 0 {
			break
		}
		parts = append(parts, one)
	}
	slices.Reverse(parts)
	if n := len(h.leftOut) - len(parts); n > 0 {
		parts = append([]string{fmt.Sprintf("(%d turns before these are too long to be shown.)", n)}, parts...)
	}
	if h.summary.text != "" {
		parts = append([]string{"Summary of everything before:\n" + h.summary.text}, parts...)
	}
	return "Summarise this:\n\n" + strings.Join(parts, "\n\n")
}

// minutesOf caps one text in the minutes.
const minutesOf = 2 << 10

// minutes is an exchange as text.
func (x *exchange) minutes() string {
	var b strings.Builder
	line := func(who, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&b, "%s: %s\n", who, middleOut(text, minutesOf))
		}
	}
	line("Person", x.message)
	for _, it := range x.items {
		line("Person", fmt.Sprintf("[attached %s, %s]", it.Name, it.MIMEType))
	}
	for _, m := range x.replies {
		for _, c := range m.Content {
			switch c := c.(type) {
			case model.Text:
				line("Agent", c.Text)
			case model.ToolCall:
				line("Agent", "[calls "+c.Name+" "+string(c.Input)+"]")
			case model.ToolOutput:
				for _, p := range c.Parts {
					if text, ok := p.(attachment.TextPart); ok {
						line("Result", text.Text)
					}
				}
			case model.Media:
				if text, ok := c.Part.(attachment.TextPart); ok {
					line("Person", text.Text)
				}
			}
		}
	}
	return b.String()
}

// middleOut is text without its middle where it is longer than n bytes.
func middleOut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	tail := text[len(text)-n/4:]
	for len(tail) > 0 && tail[0]&0xC0 == 0x80 {
		tail = tail[1:]
	}
	return cutText(text, n*3/4) + " […] " + tail
}
