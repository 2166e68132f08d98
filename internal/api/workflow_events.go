package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"belay/internal/event"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// stamp is what the data of a run's events say beside the event's own: when it
// happened and to which task. The ids of the events are the run's own sequence.
type stamp struct {
	// Time is absent in what the server adds for one reader.
	Time time.Time `json:"time,omitzero"`
	Task string    `json:"task,omitempty"`
}

func serveRunEvents(c *call) error {
	root, q, err := runOf(c)
	if err != nil {
		return err
	}
	return c.follow(c.followed, q["after"], func(after int64) (turn.Stream, error) {
		// From the beginning: only so it is known whether the position is one.
		events, err := c.o.Workflows.Runs.Follow(c.ctx(), root, c.id(), 0)
		return &runStream{events: events, after: after, end: func(ctx context.Context) run.Ended {
			record, err := c.o.Workflows.Runs.Show(ctx, root, c.id())
			if err != nil || record.Status == run.Running {
				return run.Ended{Status: run.Interrupted}
			}
			return run.Ended{Status: record.Status, Error: record.Error, Snapshot: record.Snapshot}
		}}, err
	})
}

// runStream is a run's events as a stream of events.
type runStream struct {
	events run.Stream
	after  int64
	// known is set once the position was held against what there is, ended when the
	// run's end was reported.
	known, ended bool
	// end is that of a run whose events have none: the process that worked on it is gone. Its
	// record may say how it ended all the same.
	end func(context.Context) run.Ended
}

// Turn implements [turn.Stream].
func (s *runStream) Turn() string { return "" }

// Close implements [turn.Stream].
func (s *runStream) Close() error { return s.events.Close() }

// Next implements [turn.Stream].
func (s *runStream) Next(ctx context.Context) ([]event.Event, error) {
	for {
		batch, err := s.events.Next(ctx)
		if errors.Is(err, io.EOF) && !s.ended {
			s.ended = true
			return one(0, event.Type(run.RunEnd), s.end(ctx))
		}
		if err != nil {
			return nil, err
		}
		if out, err := s.take(batch); err != nil || len(out) > 0 {
			return out, err
		}
	}
}

// take is what a batch has for this reader. A position beyond the end is of another
// run, and begins anew behind a gap.
func (s *runStream) take(batch []run.Event) (out []event.Event, err error) {
	if !s.known && len(batch) > 0 {
		s.known = true
		if last := batch[len(batch)-1].Seq; s.after > last {
			s.after = 0
			if out, err = one(0, event.LogGap, event.Gap{Reason: "reset", Next: 1}); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range batch {
		// A run that is taken up again goes on behind its end.
		s.ended = e.Type == run.RunEnd
		if e.Seq <= s.after {
			continue
		}
		data, err := stamped(e)
		if err != nil {
			return nil, err
		}
		out = append(out, event.Event{Seq: e.Seq, Time: e.Time, Type: event.Type(e.Type), Data: data})
	}
	return out, nil
}

// stamped is an event's payload with its stamp before it.
func stamped(e run.Event) (json.RawMessage, error) {
	head, err := json.Marshal(stamp{e.Time, e.Task})
	if err != nil || len(e.Data) <= len("{}") || e.Data[0] != '{' {
		return head, err
	}
	data := append(head[:len(head)-1], ',')
	return append(data, e.Data[1:]...), nil
}
