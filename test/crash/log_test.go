//go:build crashtest

package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"belay/internal/app"
	"belay/internal/event"
)

// hasLog checks that a session's log has every event up to a sequence.
func hasLog(a *app.App, id string, upTo int64) error {
	events, err := history(a, id)
	if err != nil {
		return err
	}
	for seq := range upTo {
		if int(seq) >= len(events) || events[seq].Seq != seq+1 || events[seq].Type == event.LogGap {
			return fmt.Errorf("the log does not have event %d of %d", seq+1, upTo)
		}
	}
	return nil
}

// history is what the log has of a session's turns that have ended.
func history(a *app.App, id string) (all []event.Event, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := a.Engine.Recovery.Resume(ctx, id); err != nil {
		return nil, err
	}
	s, err := a.Engine.Events(ctx, id, 0, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	_, last, err := a.Store.Bounds(ctx, id)
	if err != nil {
		return nil, err
	}
	for len(all) == 0 || all[len(all)-1].Seq < last { // the stream has no end
		events, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return all, err
		}
		all = append(all, events...)
	}
	return all, nil
}

// finished promises the events of a session's log that are in finished segments.
func (w *world) finished(id string) {
	segments, err := filepath.Glob(filepath.Join(w.project, ".belay", "sessions", id, "log", "*.jsonl"))
	must(w.t, err)
	last := int64(0)
	for _, name := range segments[:max(0, len(segments)-1)] {
		data, err := os.ReadFile(name)
		w.try(err)
		for line := range bytes.Lines(data) {
			var e struct{ Seq int64 }
			must(w.t, json.Unmarshal(line, &e))
			last = max(last, e.Seq)
		}
	}
	w.acknowledged(fmt.Sprintf("the first %d events", last), promise{Kind: "log", Session: id, Seq: last}.holds)
}
