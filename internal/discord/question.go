package discord

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"slices"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/record"
	"belay/internal/fault"
)

// questions asks the deciders of channels, and takes their answers.
type questions struct{ s *Surface }

// maxCalled is how many deciders a question calls.
const maxCalled = 3

// ask sends a question to the channel of its session. An error has the bus deliver it
// again.
func (qs questions) ask(ctx context.Context, session, request string, d contract.Decision) error {
	c := qs.s.channelFor(session, request)
	if c == nil {
		return nil // asked on another surface alone
	}
	if _, asked := c.record.Question(d.DecisionID); asked {
		return nil
	}
	text, diff := questionText(d, qs.s.o.Questions, qs.pageOf(session))
	people := qs.deciders(c)
	people = people[:min(len(people), maxCalled)]
	for _, id := range people {
		text += " <@" + id + ">"
	}
	m := client.NewMessage{
		Text: text, Nonce: nonce(d.DecisionID, "question"), Buttons: buttons(d), Ping: people,
		ReplyTo: qs.lastMessage(c, request),
	}
	if diff != "" {
		m.Files = []client.Upload{{Name: "changes.diff", Size: int64(len(diff)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader([]byte(diff))), nil }}}
	}
	got, err := qs.s.client.Send(ctx, c.id, m)
	if client.KindOf(err) == client.TooLarge || client.KindOf(err) == client.Refused && err != nil {
		m.Files = nil
		got, err = qs.s.client.Send(ctx, c.id, m)
	}
	if err != nil {
		if client.KindOf(err) != client.Temporary {
			qs.s.log.Error("Discord: a question could not be asked; answer it on the page or with belay", "decision", d.DecisionID, "reason", client.ReasonOf(err))
			return nil
		}
		return err
	}
	return c.record.Ask(record.Question{ID: d.DecisionID, Session: session, Message: got.ID, Text: got.Text})
}

// pageOf is the link to a session on the page, which shows its questions; "" without a
// page.
func (qs questions) pageOf(session string) string {
	if qs.s.o.Page == "" {
		return ""
	}
	return strings.TrimSuffix(qs.s.o.Page, "/") + "/#session=" + url.QueryEscape(session)
}

// closed says in the message of a question who answered, and takes its buttons away.
func (qs questions) closed(ctx context.Context, session, request string, d *contract.DecisionClosed) error {
	c := qs.s.channelFor(session, request)
	if c == nil {
		return nil
	}
	q, ok := c.record.Question(d.DecisionID)
	if !ok || q.Closed {
		return nil
	}
	text, none := closedText(q.Text, d), []client.Button{}
	err := qs.s.client.Edit(ctx, c.id, q.Message, client.Change{Text: &text, Buttons: &none})
	if err != nil && client.KindOf(err) == client.Temporary {
		return err
	}
	q.Closed = true
	return c.record.Ask(q)
}

// channelFor is the channel that a request came from, or that has the session.
func (s *Surface) channelFor(session, request string) *channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channelOf(request)]; c != nil {
		return c
	}
	for _, c := range s.channels {
		if c.record.Had(session) {
			return c
		}
	}
	return nil
}

// lastMessage is what a question replies to: the newest message of the answer, else
// the person's.
func (qs questions) lastMessage(c *channel, request string) string {
	qs.s.mu.Lock()
	defer qs.s.mu.Unlock()
	a := c.answers[request]
	if a == nil {
		return ""
	}
	if n := len(a.ids); n > 0 {
		return a.ids[n-1]
	}
	return a.request.Messages[len(a.request.Messages)-1]
}

// deciders are the people who may answer questions in a channel.
func (qs questions) deciders(c *channel) []string {
	qs.s.mu.Lock()
	parent := qs.s.parents[c.id]
	qs.s.mu.Unlock()
	b, _ := qs.s.binding(c.id, parent)
	return b.Deciders
}

// pressed deals with a button or the form of one.
func (qs questions) pressed(ctx context.Context, in client.Interaction) {
	verdict, id, ok := parseButton(in.Button + in.Form)
	qs.s.mu.Lock()
	c := qs.s.channels[in.Channel]
	qs.s.mu.Unlock()
	if !ok || c == nil {
		qs.s.tell(ctx, in, "This button is not one of belay's questions any more.")
		return
	}
	q, known := c.record.Question(id)
	if !known {
		// A process died between sending the question and its record. The button says
		// which question it is, and the bus whether it is open.
		q = record.Question{ID: id, Session: c.record.Session(), Message: in.Message, Text: in.Text}
	}
	switch {
	case !slices.Contains(qs.deciders(c), in.Who.ID):
		qs.s.tell(ctx, in, "Only the people whom the operator named may answer here.")
	case q.Closed:
		qs.s.tell(ctx, in, answeredAlready)
	case in.Button != "" && verdict == verdictNote:
		if err := qs.s.client.Ask(ctx, in, buttonID(verdictNote, id), "Discard, with a note", "What should the agent do instead?", "note"); err != nil {
			qs.s.unanswered(ctx, err)
		}
	default:
		qs.decide(ctx, c, in, q, verdict)
	}
}

// answeredAlready is for people who press a button of a closed question.
const answeredAlready = "This question is answered already."

// decide passes an answer on. The message changes when the bus says that the question
// is closed.
func (qs questions) decide(ctx context.Context, c *channel, in client.Interaction, q record.Question, verdict string) {
	if err := qs.s.client.Defer(ctx, in, false); err != nil {
		qs.s.unanswered(ctx, err)
		return
	}
	if now, known := c.record.Question(q.ID); known {
		q = now
	} else if err := c.record.Ask(q); err != nil {
		qs.s.log.Error("Discord: a question could not be recorded", "decision", q.ID, "error", err)
	}
	_, err := qs.s.o.Bus.Answer(ctx, q.Session, &contract.DecisionAnswer{
		DecisionID: q.ID, Verdict: verdicts[verdict], By: platform + ":" + in.Who.ID, Note: contract.Cut(in.Values["note"], 4000),
	})
	if err == nil || ctx.Err() != nil {
		return
	}
	text := failure(contract.FailureOf(err))
	if fault.Is(err, fault.DecisionClosed) { // somebody was faster, and the buttons are about to go
		text = answeredAlready
	} else {
		qs.s.log.Warn("Discord: an answer was not taken", "decision", q.ID, "error", err)
	}
	if err := qs.s.client.Whisper(ctx, in, text); err != nil {
		qs.s.unanswered(ctx, err)
	}
}

// tell answers an interaction privately.
func (s *Surface) tell(ctx context.Context, in client.Interaction, text string) {
	if err := s.client.Tell(ctx, in, text); err != nil {
		s.unanswered(ctx, err)
	}
}

func (s *Surface) unanswered(ctx context.Context, err error) {
	if ctx.Err() == nil {
		s.log.Warn("Discord: an interaction could not be answered", "reason", client.ReasonOf(err))
	}
}
