package discord

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/message"
	"belay/internal/discord/record"
)

// questions asks the deciders of channels, and takes their answers.
type questions struct{ s *Surface }

// maxCalled is how many deciders a question calls.
const maxCalled = 3

// ask sends a question to where the settings want it. An error has the bus deliver it
// again.
func (qs questions) ask(ctx context.Context, session, request string, d contract.Decision) error {
	c := qs.s.channelFor(session, request)
	if c == nil {
		return nil // asked on another surface alone
	}
	q, asked := c.record.Question(d.DecisionID)
	if asked && q.Message != "" {
		return nil
	}
	if !asked {
		q = record.Question{ID: d.DecisionID, Session: session}
	}
	people := qs.deciders(c)
	people = people[:min(len(people), maxCalled)]
	if qs.s.o.Questions != InDirect {
		return qs.askHere(ctx, c, request, d, q, qs.s.o.Questions, people)
	}
	if err := qs.askDirectly(ctx, c, d, &q, people); err != nil {
		return err
	}
	switch {
	case len(q.Direct) == 0: // nobody takes direct messages
		return qs.askHere(ctx, c, request, d, q, ByLink, people)
	case q.Message != "": // the channel is the direct messages
		return nil
	}
	return qs.note(ctx, c, request, d, q)
}

// askHere sends a question to the channel of its session, and calls people.
func (qs questions) askHere(ctx context.Context, c *channel, request string, d contract.Decision, q record.Question, where Questions, people []string) error {
	called := ""
	for _, id := range people {
		called += " <@" + id + ">"
	}
	got, err := qs.send(ctx, c.id, client.NewMessage{
		Nonce: nonce(d.DecisionID, "question"), Ping: people, ReplyTo: qs.lastMessage(c, request),
	}, d, frame{where, qs.pageOf(d.DecisionID), "", strings.TrimSpace(called)})
	if err != nil {
		return qs.unasked(d, err)
	}
	q.Message, q.Text = got.ID, got.Text
	return c.record.Ask(q)
}

// askDirectly sends a question to the deciders. Each message is on record before the next.
func (qs questions) askDirectly(ctx context.Context, c *channel, d contract.Decision, q *record.Question, people []string) error {
	// The question is on record before the first button exists: a press in direct messages
	// does not say which channel it is about.
	if err := c.record.Ask(*q); err != nil {
		return err
	}
	for _, who := range people {
		if slices.ContainsFunc(q.Direct, func(o record.DirectQuestion) bool { return o.User == who }) {
			continue
		}
		direct, err := qs.s.client.Direct(ctx, who)
		var got message.Message
		if err == nil {
			about := ""
			if direct != c.id {
				about = "In <#" + c.id + ">: "
			}
			got, err = qs.send(ctx, direct, client.NewMessage{Nonce: nonce(d.DecisionID, "question", who)}, d, frame{InDirect, qs.pageOf(d.DecisionID), about, ""})
		}
		if err != nil {
			if client.KindOf(err) == client.Temporary {
				return err
			}
			qs.s.log.Warn("Discord: a decider takes no direct messages", "user", who, "decision", d.DecisionID, "reason", client.ReasonOf(err))
			continue
		}
		q.Direct = append(q.Direct, record.DirectQuestion{User: who, Channel: direct, Message: got.ID, Text: got.Text})
		if direct == c.id {
			q.Message, q.Text = got.ID, got.Text
		}
		if err := c.record.Ask(*q); err != nil {
			return err
		}
	}
	return nil
}

// note says in the channel that somebody is asked elsewhere. It shows nothing of what is
// asked, and calls nobody.
func (qs questions) note(ctx context.Context, c *channel, request string, d contract.Decision, q record.Question) error {
	var people []string
	for _, o := range q.Direct {
		people = append(people, "<@"+o.User+">")
	}
	text := fmt.Sprintf("**%s** The question is in the direct messages of %s.", titles[d.Asks], strings.Join(people, ", "))
	got, err := qs.s.client.Send(ctx, c.id, client.NewMessage{Text: text, Nonce: nonce(d.DecisionID, "question"), ReplyTo: qs.lastMessage(c, request)})
	if err != nil {
		return qs.unasked(d, err)
	}
	q.Message, q.Text = got.ID, got.Text
	return c.record.Ask(q)
}

// send sends a question, without what Discord does not take of it: the files, the embed. What
// is not shown whole then cannot be allowed there.
func (qs questions) send(ctx context.Context, channel string, m client.NewMessage, d contract.Decision, f frame) (message.Message, error) {
	q := newQuestion(d, f, true)
	m.Text, m.Embed, m.Buttons, m.Files = q.text, q.embed, q.buttons, uploads(q.files)
	got, err := qs.s.client.Send(ctx, channel, m)
	if m.Files != nil && err != nil && !is(err, client.Temporary) { // perhaps no file may be sent here
		q = newQuestion(d, f, false)
		m.Text, m.Embed, m.Buttons, m.Files = q.text, q.embed, q.buttons, nil
		got, err = qs.s.client.Send(ctx, channel, m)
	}
	if m.Embed != nil && (is(err, client.Refused) || is(err, client.Lost)) { // a server that refuses what Discord leaves out
		m.Text, m.Embed, m.Buttons = q.plain, nil, q.plainButtons
		return qs.s.client.Send(ctx, channel, m)
	}
	if err == nil && m.Embed != nil && got.Embeds == 0 && got.Text != q.plain {
		if err := qs.s.client.Edit(ctx, channel, got.ID, client.Change{Text: &q.plain, Buttons: &q.plainButtons}); err != nil {
			return got, err
		}
		got.Text = q.plain
	}
	return got, err
}

// uploads are texts as files.
func uploads(texts []attachedText) (all []client.Upload) {
	for _, f := range texts {
		all = append(all, client.Upload{Name: f.name, Size: int64(len(f.text)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(f.text)), nil }})
	}
	return all
}

// is reports whether err is one of Discord, of a kind.
func is(err error, kind client.Kind) bool { return err != nil && client.KindOf(err) == kind }

// unasked is the error for a question, or a note of it, that could not be sent; nil where
// trying again does not help.
func (qs questions) unasked(d contract.Decision, err error) error {
	if client.KindOf(err) == client.Temporary {
		return err
	}
	qs.s.log.Error("Discord: a question could not be asked; answer it on the page or with belay", "decision", d.DecisionID, "reason", client.ReasonOf(err))
	return nil
}

// pageOf is the link to a question on the page; "" without a page.
func (qs questions) pageOf(decision string) string {
	if qs.s.o.Page == "" {
		return ""
	}
	return strings.TrimSuffix(qs.s.o.Page, "/") + "/q/" + url.PathEscape(decision)
}

// closed says in the messages of a question who answered, and takes their buttons away.
func (qs questions) closed(ctx context.Context, session, request string, d *contract.DecisionClosed) error {
	c := qs.s.channelFor(session, request)
	if c == nil {
		return nil
	}
	q, ok := c.record.Question(d.DecisionID)
	if !ok || q.Closed {
		return nil
	}
	all := q.Direct
	if q.Message != "" && !slices.ContainsFunc(all, func(o record.DirectQuestion) bool { return o.Message == q.Message }) {
		all = append(slices.Clone(all), record.DirectQuestion{Channel: c.id, Message: q.Message, Text: q.Text})
	}
	for _, o := range all {
		// A note may repeat what only the deciders may see.
		private := qs.s.o.Questions == InChannel || o.User != ""
		text, none := closedText(o.Text, d, private), []client.Button{}
		if err := qs.s.client.Edit(ctx, o.Channel, o.Message, client.Change{Text: &text, Buttons: &none}); err != nil && client.KindOf(err) == client.Temporary {
			return err
		}
	}
	q.Closed = true
	return c.record.Ask(q)
}
