package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"belay/internal/event"
	"belay/internal/workflow/run"
)

// The data of a run's events: when it happened and to which task, beside what the
// event says. The ids of the events are the run's own sequence.
type (
	stamp struct {
		// Time is absent in what the server adds for one reader.
		Time time.Time `json:"time,omitzero"`
		Task string    `json:"task,omitempty"`
	}
	runBegunData struct {
		stamp
		run.Begun
	}
	taskBegunData struct {
		stamp
		run.TaskBegun
	}
	taskTriedData struct {
		stamp
		run.Tried
	}
	taskAskedData struct {
		stamp
		run.Asked
	}
	taskWaitsData struct {
		stamp
		run.Waits
	}
	taskAgainData struct {
		stamp
		run.Again
	}
	taskEndedData struct {
		stamp
		run.TaskEnded
	}
	runEndedData struct {
		stamp
		run.Ended
	}
)

// runEvents describes them.
func runEvents() []event.Spec {
	all := run.Events()
	for i := range all {
		switch d := all[i].Sample.(type) {
		case run.Begun:
			all[i].Sample = runBegunData{Begun: d}
		case run.TaskBegun:
			all[i].Sample = taskBegunData{TaskBegun: d}
		case run.Tried:
			all[i].Sample = taskTriedData{Tried: d}
		case run.Asked:
			all[i].Sample = taskAskedData{Asked: d}
		case run.Waits:
			all[i].Sample = taskWaitsData{Waits: d}
		case run.Again:
			all[i].Sample = taskAgainData{Again: d}
		case run.TaskEnded:
			all[i].Sample = taskEndedData{TaskEnded: d}
		case run.Ended:
			all[i].Sample = runEndedData{Ended: d}
		}
	}
	return all
}

func serveRunEvents(h *Handler, w *response, r *http.Request) error {
	root, q, err := h.runOf(r)
	if err != nil {
		return err
	}
	after, err := position(r, q["after"])
	if err != nil {
		return err
	}
	release, err := h.admit()
	if err != nil {
		return err
	}
	defer release()
	// From the beginning: only so it is known whether the position is one.
	events, err := h.o.Workflows.Runs.Follow(r.Context(), root, r.PathValue("id"), 0)
	if err != nil {
		return err
	}
	defer func() { _ = events.Close() }() // it was only read
	h.copyStream(h.followed, w, r, &runStream{events: events, after: after, end: func(ctx context.Context) run.Ended {
		record, err := h.o.Workflows.Runs.Show(ctx, root, r.PathValue("id"))
		if err != nil || record.Status != run.Interrupted {
			return run.Ended{Status: run.Interrupted}
		}
		return run.Ended{Status: run.Interrupted, Error: record.Error}
	}})
	return nil
}

// runStream is a run's events as a stream of events.
type runStream struct {
	events run.Stream
	after  int64
	// known is set once the position was held against what there is, ended when the
	// run's end was told.
	known, ended bool
	// end is that of a run which has none on record.
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
			return one(0, event.Type(run.RunEnd), runEndedData{Ended: s.end(ctx)})
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
