package chat

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/turn"
)

// reader is one reading of a session's log. What an earlier one still brings does not
// count any more.
type reader struct {
	ctx context.Context
	end context.CancelFunc
}

// connect opens the log after what was seen of it.
func (m *Model) connect() tea.Cmd {
	id, after, log := m.session, m.after, m.log
	return m.job(func(context.Context) tea.Msg {
		s, err := m.o.Engine.Events(log.ctx, id, after, "")
		if err == nil {
			m.tasks.hold(s)
		}
		return connected{log, s, err}
	})
}

// next waits for more of the log.
func (m *Model) next(log *reader, s turn.Stream) tea.Cmd {
	return m.job(func(context.Context) tea.Msg {
		events, err := s.Next(log.ctx)
		if err != nil {
			err = errors.Join(err, m.tasks.release(s))
		}
		return happened{log, s, events, err}
	})
}

// joined begins to read a log that was opened, or tries again.
func (m *Model) joined(msg connected) tea.Cmd {
	switch {
	case msg.log != m.log && msg.err == nil:
		return m.job(func(context.Context) tea.Msg { return reported{err: m.tasks.release(msg.stream)} })
	case msg.log != m.log:
		return nil
	case msg.err != nil:
		return m.unconnected(msg.err)
	}
	m.lostWhy = ""
	return m.next(msg.log, msg.stream)
}

// followed takes what the reader of the log brought, and reads on. A reader that
// broke is opened again where it was.
func (m *Model) followed(msg happened) tea.Cmd {
	if msg.log != m.log {
		return nil
	}
	for _, e := range msg.events {
		if e.Seq > 0 && e.Seq <= m.after && e.Type != event.LogGap {
			continue
		}
		m.after = max(m.after, e.Seq)
		m.story.tell(e)
	}
	if len(msg.events) > 0 {
		m.lost = 0
	}
	cmds := append(m.story.wanted(), m.sendLate())
	if msg.err == nil {
		return tea.Batch(append(cmds, m.next(msg.log, msg.stream))...)
	}
	if m.ctx.Err() != nil {
		return nil
	}
	return tea.Batch(append(cmds, m.later(msg.err))...)
}

// later opens the log again, after a while that grows. The line of what goes on says
// so meanwhile, but for a reader that only came to an end.
func (m *Model) later(err error) tea.Cmd {
	wait := min(time.Second<<min(m.lost, 4)/4, 4*time.Second)
	if m.lost++; !errors.Is(err, io.EOF) {
		m.lostWhy = briefly(err)
	}
	return m.timer(wait, reconnect{m.log})
}

// unconnected tries to open the log again, unless it is not there any more.
func (m *Model) unconnected(err error) tea.Cmd {
	if m.ctx.Err() != nil {
		return nil
	}
	if f := fault.From(err); f.Status >= 400 && f.Status < 500 {
		m.tell(fails, "the session's log can not be read: "+why(err))
		return nil
	}
	return m.later(err)
}
