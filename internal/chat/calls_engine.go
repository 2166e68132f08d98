package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// The results of calls.
type (
	// loaded is a session that goes on; untaken is why a turn of it does not.
	loaded struct {
		log     *reader
		untaken error
		record  session.Record
		entries []session.Entry
		err     error
	}
	// connected is a reader of the log, or why there is none.
	connected struct {
		log    *reader
		stream turn.Stream
		err    error
	}
	// happened is what the log had next.
	happened struct {
		log    *reader
		stream turn.Stream
		events []event.Event
		err    error
	}
	// created is the session for the first message.
	created struct {
		record session.Record
		err    error
	}
	// started is how the engine took a message; refused says which files it did not
	// take, and why.
	// unasked is set where it was not asked.
	started struct {
		session, turn string
		message       said
		unasked       bool
		refused       []string
		err           error
	}
	// steered is how it took one into a running turn.
	steered struct {
		session string
		what    steering
		refused []string
		err     error
	}
	// decided is how it took an answer.
	decided struct {
		id  string
		err error
	}
	// undone are the files of a turn that were taken back.
	undone struct {
		session, turn string
		paths         []string
	}
	// reported is the end of any other job: items to show, or why not.
	reported struct {
		items []item
		err   error
	}
	// found is the message of a turn that began somewhere else.
	found struct {
		turn string
		what *said // nil where the transcript does not have it
		err  error
	}
	reconnect struct{ log *reader }
)

// How long an engine may take to answer.
const (
	callPatience = 30 * time.Second
	stopPatience = 10 * time.Second
)

// load reads what was said in a session before, after a turn of it was taken up that
// a dead process left waiting for a person.
func (c *calls) load(id string, log *reader) tea.Cmd {
	return c.call(func(ctx context.Context) tea.Msg {
		rec, err := c.o.Engine.Get(ctx, id)
		if err != nil {
			return loaded{log: log, err: err}
		}
		var untaken error
		if c.o.TakeUp != nil {
			untaken = c.o.TakeUp(ctx, id)
		}
		entries, err := c.o.Engine.Transcript(ctx, id)
		return loaded{log, untaken, rec, entries, err}
	})
}

// create makes the session in which the first message is said.
func (c *calls) create() tea.Cmd {
	r := turn.CreateRequest{ProjectRoot: c.o.Project, Persona: c.o.Opts.Persona, Mode: c.o.Opts.Mode}
	return c.call(func(ctx context.Context) tea.Msg {
		rec, err := c.o.Engine.Create(ctx, r)
		return created{rec, err}
	})
}

// start sends a message as a turn. What happens in it comes from the log; of the
// stream that the engine returns only the beginning is needed.
func (c *calls) start(id string, message said, files []string) tea.Cmd {
	r := turn.Request{SessionID: id, Message: message.text, Opts: c.o.Opts, Allow: c.o.Allow, IdempotencyKey: message.key}
	r.Opts.Compact = message.compact
	return c.run(func(ctx context.Context) tea.Msg {
		var refused []string
		var err error
		if r.Attachments, refused, err = c.o.Bring(ctx, r.SessionID, files); err != nil {
			return started{session: id, message: message, unasked: true, err: err}
		}
		s, err := c.o.Engine.Start(ctx, r)
		begun := ""
		if err == nil {
			begun, err = s.Turn(), errors.Join(lost(ctx, s), s.Close())
		}
		return started{session: id, turn: begun, message: message, refused: refused, err: err}
	})
}

// lost is why a turn ended before anything of it could be recorded, as on a full
// disk. The session's log tells nothing of that, the turn's own stream alone does,
// with events that have no place in the log. What a turn has first comes at once.
func lost(ctx context.Context, s turn.Stream) error {
	events, err := s.Next(ctx)
	if err != nil || len(events) == 0 || events[0].Seq > 0 {
		return nil // the log reports how it goes on
	}
	for _, e := range events {
		var d event.Exit
		if e.Type == event.ProcessExit && json.Unmarshal(e.Data, &d) == nil {
			return fault.New(fault.Type(d.ErrorType), "%s", d.Error)
		}
	}
	return nil
}

// steering is what is said into a running turn.
type steering struct {
	said
	mode session.InputMode
	// received is set once the engine has it on record.
	received bool
}

func (c *calls) steer(id string, what steering, files []string) tea.Cmd {
	return c.run(func(ctx context.Context) tea.Msg { // files may take their time
		brought, refused, err := c.o.Bring(ctx, id, files)
		if err == nil {
			ctx, cancel := context.WithTimeout(ctx, callPatience)
			defer cancel()
			err = c.o.Engine.Steer(ctx, turn.SteerRequest{SessionID: id, Message: what.text, Attachments: brought, Mode: what.mode, Key: what.key})
		}
		return steered{id, what, refused, err}
	})
}

// interrupt asks the running turn to stop.
func (c *calls) interrupt(id, turnID string) tea.Cmd {
	return c.run(func(ctx context.Context) tea.Msg { return reported{err: c.stop(ctx, id, turnID)} })
}

// stop is interrupt without a goroutine. A turn that has ended meanwhile is well.
func (c *calls) stop(ctx context.Context, id, turnID string) error {
	if id == "" {
		return nil // nothing was sent yet
	}
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	err := c.o.Engine.Interrupt(ctx, id, turnID)
	if err == nil || fault.Is(err, fault.SessionNotFound) {
		return nil
	}
	return fmt.Errorf("interrupt the turn: %w", err)
}

// remember keeps what was typed for the next chat, which learns no secret of it, nor of what the file has.
func (c *calls) remember(past *history, s string) tea.Cmd {
	if !past.add(s) {
		return nil
	}
	return c.run(func(context.Context) tea.Msg {
		err := past.save(s, c.o.Redact.Known)
		if err != nil {
			err = errors.New("the next chat will not have what you typed: " + briefly(err))
		}
		return reported{err: err}
	})
}

// why is an error in words for a person.
func why(err error) string {
	f := (*fault.Error)(nil)
	if !errors.As(err, &f) {
		return err.Error()
	}
	text := f.Message
	if hint := f.NextStep(); hint != "" {
		text += " (" + hint + ")"
	}
	return text
}

// briefly is what is at the bottom of an error, for a line of its own.
func briefly(err error) string {
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return why(err)
	}
	return fault.Innermost(err).Error()
}
