package run

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/session"
)

// followPoll is how often the events of another process's run are looked for.
const followPoll = 150 * time.Millisecond

// Stream reads a run's events. One goroutine at a time calls Next. Close may be
// called by any goroutine at any moment, and more than once.
type Stream interface {
	// Next blocks until there are events, ctx is done, or the stream is over
	// (io.EOF, when nobody works on the run any more). It returns as many as are
	// ready.
	Next(ctx context.Context) ([]Event, error)
	// Close releases the reader; it never affects the run. It ends a Next that
	// waits: that one and every later one return [session.ErrReaderClosed].
	Close() error
}

// Follow reads the run's events after a sequence, 0 for all, and then those to
// come, of runs of other processes as well.
func (r *Runner) Follow(_ context.Context, project, id string, after int64) (Stream, error) {
	f, err := openFolder(project, id)
	if err != nil {
		return nil, err
	}
	defer f.close()
	file, _, err := durable.OpenRegular(f.root, fileEvent)
	if err != nil {
		return nil, fault.New(fault.StorageFailure, "the run's events cannot be read").WithStatus(500).Because(err)
	}
	return &follower{r: r, id: id, file: file, after: after, done: make(chan struct{})}, nil
}

type follower struct {
	r     *Runner
	id    string
	file  *os.File
	at    int64 // after the last whole line that was read
	after int64

	once sync.Once
	done chan struct{} // closed by Close
}

// Close implements [Stream].
func (s *follower) Close() (err error) {
	s.once.Do(func() {
		close(s.done)
		err = s.file.Close()
	})
	return err
}

func (s *follower) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Next implements [Stream].
func (s *follower) Next(ctx context.Context) ([]Event, error) {
	tick := time.NewTicker(followPoll)
	defer tick.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		// Whether somebody works on it is asked before the file is read: what was
		// written until then is in it.
		var wake <-chan struct{}
		live := s.r.live(s.id)
		if x := s.r.running(s.id); x != nil {
			var over bool
			if wake, over = x.records.journal.next(); over {
				wake = x.done // the stream ends when the run can be taken up again
			}
		}
		events, err := s.read()
		if s.closed() {
			return nil, session.ErrReaderClosed // whatever the closed file said
		}
		if err != nil || len(events) > 0 {
			return events, err
		}
		if !live {
			return nil, io.EOF
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-wake:
		case <-s.done:
		case <-tick.C:
		}
	}
}

// read returns the events that are there.
func (s *follower) read() ([]Event, error) {
	var events []Event
	n, err := durable.Scan(io.NewSectionReader(s.file, s.at, 1<<62), maxEvent, func(b []byte, _ int64) error {
		e, err := readEvent(b)
		if err == nil && e.Seq > s.after {
			events, s.after = append(events, e), e.Seq
		}
		return err
	})
	s.at += n
	if err != nil {
		return nil, unreadable(s.id, fileEvent, err)
	}
	return events, nil
}
