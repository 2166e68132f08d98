package discord

import (
	"context"
	"slices"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/routing"
)

// forgotten reports whether a request has no output to come: nothing in its session
// works on it, and nothing waits. Where its turn waits for a person, and nobody here was asked,
// it has the question asked: the bus keeps that for a day alone.
func (a *answer) forgotten(ctx context.Context) bool {
	st, err := a.surface.o.Bus.Status(ctx, a.request.Session)
	if err != nil {
		return final(err)
	}
	if st.Running == nil || st.Running.Request != a.request.ID {
		return !slices.Contains(st.Queued, a.request.ID)
	}
	for _, d := range st.Open {
		if _, known := a.channel.record.Question(d.DecisionID); known || d.TurnID != st.Running.TurnID {
			continue
		}
		about := contract.Message{Envelope: contract.Envelope{Session: a.request.Session, Request: a.request.ID}}
		if err := (questions{a.surface}).opened(about, &contract.DecisionOpened{Decision: d}); err != nil {
			a.surface.log.Error("Discord: a question could not be recorded", "decision", d.DecisionID, "error", err)
		}
	}
	return false
}

// lostEnd is the note of an answer whose end did not come.
const lostEnd = "*The end of this answer was lost.*"

// endless ends an answer whose request has ended and whose output has no end. One that is no
// prompt and had no output went into a turn that another surface began, which has the answer.
func (a *answer) endless(ctx context.Context) {
	s := a.surface
	s.mu.Lock()
	ran := a.running
	s.mu.Unlock()
	if !ran && a.position == 0 && a.state == contract.StateResolved && a.request.Queue != routing.Prompt {
		a.taken(ctx, "")
		return
	}
	a.finish(ctx, lostEnd)
}

// close takes the end of the output.
func (a *answer) close(ctx context.Context, last *contract.ResponseText) {
	if !last.Truncated && last.FinalText != "" {
		a.plan.SetText(last.FinalText)
	}
	note := ""
	switch {
	case last.State == contract.StateFailed:
		note = failure(last.Error)
	case last.State == contract.StateCancelled:
		note = "*Stopped.*"
	}
	if last.Note != "" {
		note = plain(last.Note) + "\n" + note
	}
	a.finish(ctx, note)
}

// finish brings all that is left to Discord, and puts the end on record. Where Discord does not
// take it for long, the request stays open.
func (a *answer) finish(ctx context.Context, note string) {
	s := a.surface
	s.mu.Lock()
	a.over = true
	s.mu.Unlock()
	a.plan.End(note)
	for a.step(ctx) && ctx.Err() == nil {
	}
	if _, left := a.plan.Next(); left || ctx.Err() != nil {
		return // it stays open: the next connection, or the next process, goes on
	}
	if err := a.channel.record.Finish(a.request.ID); err != nil {
		s.log.Error("Discord: the end of an answer could not be recorded", "request", a.request.ID, "error", err)
	}
}

// taken ends an answer whose request was said into that of another one. What the agent says
// to it stands below it.
func (a *answer) taken(ctx context.Context, into string) {
	s := a.surface
	last := a.request.Messages[len(a.request.Messages)-1]
	if into != "" && a.request.Queue == routing.Steer {
		err := requests{s}.untilFinal(ctx, "move an answer", func() {}, func() error {
			return s.o.Bus.Announce(ctx, "reanchor:"+a.request.ID, a.request.Session, into, &contract.Reanchor{Mode: contract.QueueSteer, ReplyTo: last})
		})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.log.Warn("Discord: an answer goes on where it is", "request", into, "error", err)
		}
	}
	if err := a.channel.record.Finish(a.request.ID); err != nil {
		s.log.Error("Discord: the end of a request could not be recorded", "request", a.request.ID, "error", err)
	}
	if err := s.client.React(ctx, a.channel.id, last, reactTaken); err != nil && ctx.Err() == nil {
		s.log.Debug("Discord: react", "reason", client.ReasonOf(err))
	}
}

// unread says to people why a file's bytes cannot be sent.
func unread(err error) string {
	if final(err) {
		return "the file is not there any more"
	}
	return "the file cannot be read"
}
