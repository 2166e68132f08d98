package discord

import (
	"context"
	"io"
	"net/url"
	"slices"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/message"
	"belay/internal/discord/record"
)

// send sends a question, without what Discord does not take of it: the files, the embed. What
// is not shown whole then cannot be allowed there.
func (qs questions) send(ctx context.Context, channel string, m client.NewMessage, q record.Question, f frame) (message.Message, error) {
	d := q.Opened.Decision
	w := newQuestion(d, f, true)
	m.Text, m.Embed, m.Buttons, m.Files = w.text, w.embed, w.buttons, uploads(w.files)
	got, found, err := qs.earlier(ctx, channel, q)
	if err != nil {
		return got, err
	}
	if !found {
		got, err = qs.s.client.Send(ctx, channel, m)
	}
	if m.Files != nil && err != nil && !client.Passes(err) { // perhaps no file may be sent here
		w = newQuestion(d, f, false)
		m.Text, m.Embed, m.Buttons, m.Files = w.text, w.embed, w.buttons, nil
		got, err = qs.s.client.Send(ctx, channel, m)
	}
	if m.Embed != nil && (is(err, client.Refused) || is(err, client.Lost)) { // a server that refuses what Discord leaves out
		m.Text, m.Embed, m.Buttons = w.plain, nil, w.plainButtons
		got, err = qs.s.client.Send(ctx, channel, m)
	}
	if err != nil {
		return got, err
	}
	return qs.complete(ctx, channel, got, d, f)
}

// complete has the message of a question say what it shows, whoever sent it: with fewer files,
// or without the embed, it has another text, and perhaps other buttons. Where Discord refuses
// that, nobody allows the question there: it loses the buttons for that, or else it goes.
func (qs questions) complete(ctx context.Context, channel string, got message.Message, d contract.Decision, f frame) (message.Message, error) {
	w := newQuestion(d, f, true)
	missing := len(got.Attachments) < len(w.files)
	if missing {
		w = newQuestion(d, f, false)
	}
	text, all := w.text, w.buttons
	bare := w.embed != nil && got.Embeds == 0
	if bare {
		text, all = w.plain, w.plainButtons
	}
	same := got.Text == text && slices.EqualFunc(got.Buttons, all, func(id string, b client.Button) bool { return id == b.ID })
	if !missing && !bare || same {
		return got, nil
	}
	err := qs.s.client.Edit(ctx, channel, got.ID, client.Change{Text: &text, Buttons: &all})
	if err == nil {
		got.Text = text
		return got, nil
	}
	if client.Passes(err) {
		return got, err
	}
	qs.s.log.Warn("Discord: a question cannot be allowed there", "decision", d.DecisionID, "reason", client.ReasonOf(err))
	refuse := refusals(d)
	err = qs.s.client.Edit(ctx, channel, got.ID, client.Change{Buttons: &refuse})
	if err == nil || client.Passes(err) {
		return got, err
	}
	if gone := qs.s.client.Delete(ctx, channel, got.ID); gone != nil {
		err = gone
	}
	return message.Message{}, err
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

// earlier looks for the message of a question that a process before this one may have sent,
// where that is too long ago for its nonce to be known. Two messages with live buttons would
// be about one question.
func (qs questions) earlier(ctx context.Context, channel string, q record.Question) (message.Message, bool, error) {
	if qs.s.knowsNonce(q.Began) {
		return message.Message{}, false, nil
	}
	button := buttonID("deny", q.ID)
	got, found, err := qs.s.search(ctx, channel, q.From, func(m message.Message) bool { return slices.Contains(m.Buttons, button) })
	if err != nil && !client.Passes(err) {
		return got, false, nil // the bot may not read there: people see a question twice rather than never
	}
	return got, found, err
}

// pageOf is the link to a question on the page; "" without a page.
func (qs questions) pageOf(decision string) string {
	if qs.s.o.Page == "" {
		return ""
	}
	return strings.TrimSuffix(qs.s.o.Page, "/") + "/q/" + url.PathEscape(decision)
}

// relink gives the messages of a question the present link to the page, which may have another
// port since belay was started anew.
func (qs questions) relink(ctx context.Context, c *channel, id string) error {
	q, _ := c.record.Question(id)
	if q.Ended != nil || q.Closed {
		return nil // its messages say who answered
	}
	changed := false
	edit := func(channel, message string, text *string) error {
		now := relinked(*text, qs.pageOf(id))
		if message == "" || now == *text {
			return nil
		}
		err := qs.s.client.Edit(ctx, channel, message, client.Change{Text: &now})
		if err == nil {
			*text, changed = now, true
		}
		if client.Passes(err) {
			return err
		}
		return nil
	}
	q.Direct = slices.Clone(q.Direct)
	for i := range q.Direct {
		if err := edit(q.Direct[i].Channel, q.Direct[i].Message, &q.Direct[i].Text); err != nil {
			return err
		}
	}
	if err := edit(c.id, q.Message, &q.Text); err != nil || !changed {
		return err
	}
	return c.record.Ask(id, func(known *record.Question) { known.Direct, known.Text = q.Direct, q.Text })
}

// relinked is the text of a question with another link to the page, which has the same end.
func relinked(text, link string) string {
	_, id, ok := strings.Cut(link, "/q/")
	end := strings.LastIndex(text, "/q/"+id+">")
	if !ok || end < 0 {
		return text
	}
	begin := strings.LastIndex(text[:end], "<")
	if begin < 0 {
		return text
	}
	return text[:begin+1] + link + text[end+len("/q/"+id):]
}

// close says in the messages of a question who answered, and takes their buttons away.
func (qs questions) close(ctx context.Context, c *channel, q record.Question) error {
	all := q.Direct
	if q.Message != "" && !slices.ContainsFunc(all, func(o record.DirectQuestion) bool { return o.Message == q.Message }) {
		all = append(slices.Clone(all), record.DirectQuestion{Channel: c.id, Message: q.Message, Text: q.Text})
	}
	for _, o := range all {
		// A note may repeat what only the deciders may see.
		private := qs.s.o.Questions == InChannel || o.User != ""
		text, none := closedText(o.Text, q.Ended, private), []client.Button{}
		err := qs.s.client.Edit(ctx, o.Channel, o.Message, client.Change{Text: &text, Buttons: &none})
		if is(err, client.Refused) { // the text, perhaps
			qs.s.log.Warn("Discord: a question does not say who answered", "decision", q.ID, "reason", client.ReasonOf(err))
			err = qs.s.client.Edit(ctx, o.Channel, o.Message, client.Change{Buttons: &none})
		}
		if client.Passes(err) {
			return err
		}
	}
	return c.record.Ask(q.ID, func(q *record.Question) { q.Closed, q.Opened, q.Ended = true, nil, nil })
}
