package discord

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/message"
	"belay/internal/discord/record"
)

// questions asks the deciders of channels, and takes their answers.
type questions struct{ s *Surface }

// maxCalled is how many deciders a question calls.
const maxCalled = 3

// opened puts a question on record, and has its channel ask it. Nothing is sent here: signals
// come one after another, and those of other channels must not wait for this one.
func (qs questions) opened(m contract.Message, p *contract.DecisionOpened) error {
	c := qs.s.channelFor(m.Session, m.Request)
	if c == nil {
		return nil // asked on another surface alone
	}
	err := c.record.Ask(p.DecisionID, func(q *record.Question) {
		if q.Message == "" && q.Began.IsZero() {
			q.Session, q.Request, q.Opened = m.Session, m.Request, p
		}
	})
	return qs.recorded(c, p.DecisionID, err)
}

// ended puts on record how a question was answered, and has its channel show it.
func (qs questions) ended(m contract.Message, p *contract.DecisionClosed) error {
	c := qs.s.channelFor(m.Session, m.Request)
	if c == nil {
		return nil
	}
	if q, ok := c.record.Question(p.DecisionID); !ok || q.Closed {
		return nil
	}
	err := c.record.Ask(p.DecisionID, func(q *record.Question) { q.Ended = p })
	return qs.recorded(c, p.DecisionID, err)
}

// recorded has a channel attend to a question, unless it could not be recorded.
func (qs questions) recorded(c *channel, id string, err error) error {
	if err != nil {
		return err
	}
	qs.s.mu.Lock()
	defer qs.s.mu.Unlock()
	qs.attend(c, id)
	return nil
}

// attend asks a question, or closes it, as its record says. Where Discord does not take that
// for long, it stays on record for the next connection. The caller holds the lock.
func (qs questions) attend(c *channel, id string) {
	qs.s.do(&c.questions, func(ctx context.Context) {
		if q, _ := c.record.Question(id); q.Opened != nil && q.Ended == nil {
			qs.afterText(ctx, q.Request, q.Opened.After)
		}
		err := qs.s.persist(ctx, "ask a question", qs.s.o.Attempts, func() error { return qs.settle(ctx, c, id) })
		if err != nil && ctx.Err() == nil {
			qs.s.log.Error("Discord: a question waits; answer it on the page or with belay", "decision", id, "reason", client.ReasonOf(err))
		}
	})
}

// settle makes one attempt at what is left to do about a question.
func (qs questions) settle(ctx context.Context, c *channel, id string) error {
	q, _ := c.record.Question(id)
	if q.Closed {
		return nil
	}
	// Where it is answered before anything was sent, nobody is asked.
	if q.Opened != nil && (q.Ended == nil || !q.Began.IsZero()) {
		if err := qs.ask(ctx, c, q); err != nil {
			return err
		}
		q, _ = c.record.Question(id)
	}
	if q.Ended == nil {
		return nil
	}
	return qs.close(ctx, c, q)
}

// ask sends a question to where the settings want it.
func (qs questions) ask(ctx context.Context, c *channel, q record.Question) error {
	d := q.Opened.Decision
	if q.Began.IsZero() {
		q.Began, q.From = qs.s.o.Now().UTC(), cmp.Or(c.record.Last(), client.IDAt(qs.s.o.Now().Add(-time.Hour)))
		// The question is on record before the first button exists: a process may die then, and
		// a press in direct messages does not say which channel it is about.
		if err := c.record.Ask(q.ID, func(known *record.Question) { known.Began, known.From = q.Began, q.From }); err != nil {
			return err
		}
	}
	people := qs.deciders(c)
	people = people[:min(len(people), maxCalled)]
	if qs.s.o.Questions != InDirect {
		return qs.askHere(ctx, c, d, q, qs.s.o.Questions, people)
	}
	if err := qs.askDirectly(ctx, c, d, &q, people); err != nil {
		return err
	}
	if len(q.Direct) == 0 { // nobody takes direct messages
		return qs.askHere(ctx, c, d, q, ByLink, people)
	}
	if slices.ContainsFunc(q.Direct, func(o record.DirectQuestion) bool { return o.Channel == c.id }) {
		return qs.asked(c, q.ID, message.Message{ID: q.Message, Text: q.Text})
	}
	return qs.note(ctx, c, d, q)
}

// asked puts on record that all of a question was sent, and which message of the channel is
// about it.
func (qs questions) asked(c *channel, id string, m message.Message) error {
	return c.record.Ask(id, func(q *record.Question) { q.Opened, q.Message, q.Text = nil, m.ID, m.Text })
}

// askHere sends a question to the channel of its session, and calls people.
func (qs questions) askHere(ctx context.Context, c *channel, d contract.Decision, q record.Question, where Questions, people []string) error {
	called := ""
	for _, id := range people {
		called += " <@" + id + ">"
	}
	got, err := qs.send(ctx, c.id, client.NewMessage{
		Nonce: nonce(d.DecisionID, "question"), Ping: people, ReplyTo: qs.lastMessage(c, q.Request),
	}, q, frame{where, qs.pageOf(d.DecisionID), "", strings.TrimSpace(called)})
	if err = qs.unasked(d, err); err != nil {
		return err
	}
	return qs.asked(c, q.ID, got)
}

// askDirectly sends a question to the deciders. Each message is on record before the next.
func (qs questions) askDirectly(ctx context.Context, c *channel, d contract.Decision, q *record.Question, people []string) error {
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
			got, err = qs.send(ctx, direct, client.NewMessage{Nonce: nonce(d.DecisionID, "question", who)}, *q, frame{InDirect, qs.pageOf(d.DecisionID), about, ""})
		}
		if err != nil {
			if client.Passes(err) {
				return err
			}
			qs.s.log.Warn("Discord: a decider takes no direct messages", "user", who, "decision", d.DecisionID, "reason", client.ReasonOf(err))
			continue
		}
		q.Direct = append(slices.Clone(q.Direct), record.DirectQuestion{User: who, Channel: direct, Message: got.ID, Text: got.Text})
		if direct == c.id {
			q.Message, q.Text = got.ID, got.Text
		}
		if err := c.record.Ask(q.ID, func(known *record.Question) { known.Direct, known.Message, known.Text = q.Direct, q.Message, q.Text }); err != nil {
			return err
		}
	}
	return nil
}

// note says in the channel that somebody is asked elsewhere. It shows nothing of what is
// asked, and calls nobody.
func (qs questions) note(ctx context.Context, c *channel, d contract.Decision, q record.Question) error {
	var people []string
	for _, o := range q.Direct {
		people = append(people, "<@"+o.User+">")
	}
	text := fmt.Sprintf("**%s** The question is in the direct messages of %s.", titles[d.Asks], strings.Join(people, ", "))
	got, err := qs.s.client.Send(ctx, c.id, client.NewMessage{Text: text, Nonce: nonce(d.DecisionID, "question"), ReplyTo: qs.lastMessage(c, q.Request)})
	if err = qs.unasked(d, err); err != nil {
		return err
	}
	return qs.asked(c, q.ID, got)
}

// unasked is the error for a question, or a note of it, that could not be sent; nil where
// trying again does not help.
func (qs questions) unasked(d contract.Decision, err error) error {
	if err == nil || client.Passes(err) {
		return err
	}
	qs.s.log.Error("Discord: a question could not be asked; answer it on the page or with belay", "decision", d.DecisionID, "reason", client.ReasonOf(err))
	return nil
}
