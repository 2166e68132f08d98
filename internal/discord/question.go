package discord

import (
	"context"
	"maps"
	"slices"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/record"
	"belay/internal/fault"
)

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

// textFirst is how long a question waits for the text before it.
const textFirst = 10 * time.Second

// afterText waits until the channel shows the output of a request up to a position. A
// question that comes at once would stand above the text that leads to it.
func (qs questions) afterText(ctx context.Context, request string, position int64) {
	a := qs.s.answerTo(request)
	if a == nil || position == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, textFirst)
	defer cancel()
	r := reader{position: position, shown: make(chan struct{})}
	select {
	case a.readers <- r:
	case <-a.done:
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-r.shown:
	case <-a.done:
	case <-ctx.Done():
	}
}

// lastMessage is what a question replies to: the newest message of the answer, else the person's;
// "" where no answer to the request is under way.
func (qs questions) lastMessage(c *channel, request string) string {
	qs.s.mu.Lock()
	defer qs.s.mu.Unlock()
	a := c.answers[request]
	if a == nil {
		return ""
	}
	return a.lastMessage()
}

// lastMessage is the newest message of the answer, else the person's. The surface's mu must be
// held.
func (a *answer) lastMessage() string {
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
	c, q, known := qs.find(in.Channel, id)
	if !ok || c == nil {
		qs.s.tell(ctx, in, "This button is not one of belay's questions any more.")
		return
	}
	if !known {
		// The record keeps only the newest questions, or somebody moved it away. The button says
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

// find is the question of an id, and the channel of its session: where the button is, or
// another one that asked it in direct messages.
func (qs questions) find(channel, id string) (_ *channel, q record.Question, known bool) {
	qs.s.mu.Lock()
	here, all := qs.s.channels[channel], slices.Collect(maps.Values(qs.s.channels))
	qs.s.mu.Unlock()
	if here != nil {
		if q, known = here.record.Question(id); known {
			return here, q, true
		}
	}
	for _, c := range all {
		if q, known = c.record.Question(id); known {
			return c, q, true
		}
	}
	return here, q, false
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
	} else if err := c.record.Ask(q.ID, func(known *record.Question) { *known = q }); err != nil {
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
