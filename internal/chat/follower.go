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

// follower reads the log of a session, and opens it again where a connection broke.
type follower struct {
	calls        *calls
	conversation *conversation
	// timer brings a message after a while; tests have no time.
	timer func(d time.Duration, msg tea.Msg) tea.Cmd

	log *reader
	// after is the last sequence that was seen.
	after int64
	// lost is how often the reader broke in a row, lostWhy why the last time.
	lost    int
	lostWhy string
}

// begin ends what reads a log, and begins with that of another session.
func (f *follower) begin() {
	if f.log != nil {
		f.log.end()
	}
	ctx, end := context.WithCancel(f.calls.ctx)
	f.log = &reader{ctx, end}
	f.after, f.lost, f.lostWhy = 0, 0, ""
}

// connect opens the log after what was seen of it.
func (f *follower) connect(id string) tea.Cmd {
	after, log := f.after, f.log
	return f.calls.run(func(context.Context) tea.Msg {
		s, err := f.calls.o.Engine.Events(log.ctx, id, after, "")
		if err == nil {
			f.calls.hold(s)
		}
		return connected{log, s, err}
	})
}

// next waits for more of the log.
func (f *follower) next(log *reader, s turn.Stream) tea.Cmd {
	return f.calls.run(func(context.Context) tea.Msg {
		events, err := s.Next(log.ctx)
		if err != nil {
			err = errors.Join(err, f.calls.release(s))
		}
		return happened{log, s, events, err}
	})
}

// joined begins to read a log that was opened, or tries again.
func (f *follower) joined(msg connected) tea.Cmd {
	switch {
	case msg.log != f.log && msg.err == nil:
		return f.calls.run(func(context.Context) tea.Msg { return reported{err: f.calls.release(msg.stream)} })
	case msg.log != f.log:
		return nil
	case msg.err != nil:
		return f.unconnected(msg.err)
	}
	f.lostWhy = ""
	return f.next(msg.log, msg.stream)
}

// later opens the log again, after a while that grows. The line of what goes on says
// so meanwhile, but for a reader that only came to an end.
func (f *follower) later(err error) tea.Cmd {
	wait := min(time.Second<<min(f.lost, 4)/4, 4*time.Second)
	if f.lost++; !errors.Is(err, io.EOF) {
		f.lostWhy = briefly(err)
	}
	return f.timer(wait, reconnect{f.log})
}

// unconnected tries to open the log again, unless it is not there any more.
func (f *follower) unconnected(err error) tea.Cmd {
	if f.calls.ctx.Err() != nil {
		return nil
	}
	if known := fault.From(err); known.Status >= 400 && known.Status < 500 {
		f.conversation.notify(noticeFailure, "the session's log cannot be read: "+why(err))
		return nil
	}
	return f.later(err)
}

// followed takes what the reader of the log brought, and reads on. A reader that
// broke is opened again where it was.
func (m *Model) followed(msg happened) tea.Cmd {
	if msg.log != m.follower.log {
		return nil
	}
	for _, e := range msg.events {
		if e.Seq > 0 && e.Seq <= m.follower.after && e.Type != event.LogGap {
			continue
		}
		m.follower.after = max(m.follower.after, e.Seq)
		m.reducer.tell(e)
	}
	if len(msg.events) > 0 {
		m.follower.lost = 0
	}
	cmds := append(m.reducer.wanted(), m.sendLate())
	if msg.err == nil {
		return tea.Batch(append(cmds, m.follower.next(msg.log, msg.stream))...)
	}
	if m.calls.ctx.Err() != nil {
		return nil
	}
	return tea.Batch(append(cmds, m.follower.later(msg.err))...)
}
