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

// What jobs bring back.
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
	started struct {
		message said
		request turn.Request
		refused []string
		err     error
	}
	// steered is how it took one into a running turn.
	steered struct {
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
		what said
	}
	reconnect struct{ log *reader }
)

// How long an engine may take to answer.
const (
	callPatience = 30 * time.Second
	stopPatience = 10 * time.Second
)

// job runs f beside the model until the chat ends.
func (m *Model) job(f func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !m.tasks.begin() {
			return nil
		}
		defer m.tasks.running.Done()
		return f(m.ctx)
	}
}

// call is a job with a deadline.
func (m *Model) call(f func(ctx context.Context) tea.Msg) tea.Cmd {
	return m.job(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, callPatience)
		defer cancel()
		return f(ctx)
	})
}

// load reads what was said in a session before, after a turn of it was taken up that
// a dead process left waiting for a person.
func (m *Model) load() tea.Cmd {
	id, log := m.session, m.log
	return m.call(func(ctx context.Context) tea.Msg {
		rec, err := m.o.Engine.Get(ctx, id)
		if err != nil {
			return loaded{log: log, err: err}
		}
		var untaken error
		if m.o.TakeUp != nil {
			untaken = m.o.TakeUp(ctx, id)
		}
		entries, err := m.o.Engine.Transcript(ctx, id)
		return loaded{log, untaken, rec, entries, err}
	})
}

// create makes the session in which the first message is said.
func (m *Model) create() tea.Cmd {
	r := turn.CreateRequest{ProjectRoot: m.o.Project, Persona: m.o.Opts.Persona, Mode: m.o.Opts.Mode}
	return m.call(func(ctx context.Context) tea.Msg {
		rec, err := m.o.Engine.Create(ctx, r)
		return created{rec, err}
	})
}

// start sends a message as a turn. What happens in it comes from the log; of the
// stream that the engine hands out only the beginning is needed.
func (m *Model) start(message said) tea.Cmd {
	r := turn.Request{SessionID: m.session, Message: message.text, Opts: m.o.Opts, Allow: m.o.Allow}
	files := m.resolved(message.files)
	return m.job(func(ctx context.Context) tea.Msg {
		var refused []string
		var err error
		if r.Attachments, refused, err = m.o.Bring(ctx, r.SessionID, files); err != nil {
			return started{message: message, err: err}
		}
		s, err := m.o.Engine.Start(ctx, r)
		if err == nil {
			err = errors.Join(lost(ctx, s), s.Close())
		}
		return started{message, r, refused, err}
	})
}

// lost is why a turn ended before anything of it could be recorded, as on a full
// disk. The session's log tells nothing of that, the turn's own stream alone does,
// with events that have no place in the log. What a turn has first comes at once.
func lost(ctx context.Context, s turn.Stream) error {
	events, err := s.Next(ctx)
	if err != nil || len(events) == 0 || events[0].Seq > 0 {
		return nil // the log tells how it goes on
	}
	for _, e := range events {
		var d event.Exit
		if e.Type == event.ProcessExit && json.Unmarshal(e.Data, &d) == nil {
			return fault.New(fault.Type(d.ErrorType), "%s", d.Error)
		}
	}
	return nil
}

// resolved are the paths that were meant.
func (m *Model) resolved(files []string) []string {
	var at []string
	for _, f := range files {
		at = append(at, m.editor.paths.resolve(f))
	}
	return at
}

// steering is what is said into a running turn.
type steering struct {
	said
	mode session.InputMode
}

func (m *Model) steer(what steering) tea.Cmd {
	id, files := m.session, m.resolved(what.files)
	return m.call(func(ctx context.Context) tea.Msg {
		brought, refused, err := m.o.Bring(ctx, id, files)
		if err == nil {
			err = m.o.Engine.Steer(ctx, turn.SteerRequest{SessionID: id, Message: what.text, Attachments: brought, Mode: what.mode})
		}
		return steered{what, refused, err}
	})
}

// interrupt asks the running turn to stop.
func (m *Model) interrupt() tea.Cmd {
	return m.job(func(ctx context.Context) tea.Msg { return reported{err: m.stop(ctx)} })
}

// stop is interrupt without a job. A turn that has ended meanwhile is well.
func (m *Model) stop(ctx context.Context) error {
	if m.session == "" {
		return nil // nothing was sent yet
	}
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	err := m.o.Engine.Interrupt(ctx, m.session, m.story.turn)
	if err == nil || fault.Is(err, fault.SessionNotFound) {
		return nil
	}
	return fmt.Errorf("interrupt the turn: %w", err)
}

// remember keeps what was typed for the next chat.
func (m *Model) remember(s string) tea.Cmd {
	past := m.editor.past
	if !past.add(s) {
		return nil
	}
	return m.job(func(context.Context) tea.Msg { return reported{err: past.save(s)} })
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
	for {
		under := errors.Unwrap(err)
		if under == nil {
			return err.Error()
		}
		err = under
	}
}
