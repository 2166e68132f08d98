//go:build crashtest

package crash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/app"
	"belay/internal/event"
	"belay/internal/turn"
)

// crashes goes through every state that a crash can leave and returns what does
// not hold, the first of each kind. With ignore the disk lies about the flushes of
// that name; then it stops at the first.
func (w *world) crashes(before *disk, steps []step, ignore string) (broken []string) {
	w.t.Helper()
	known := map[string]bool{}
	d := before.copy()
	d.ignore = ignore
	for k := 0; k <= len(steps); k++ {
		if k > 0 && steps[k-1].op != nil {
			d.apply(*steps[k-1].op)
		}
		told := k > 0 && steps[k-1].op == nil
		if told && k < len(steps) && steps[k].op == nil {
			continue // nothing changed, and more was acknowledged
		}
		if ignore != "" && !told && k < len(steps) && w.onDisk == nil {
			continue // what is lost is missed at the latest when it was acknowledged
		}
		all := losses(uint64(k))
		if ignore == "" {
			all = append(all, kill)
		}
		for _, l := range all {
			state := fmt.Sprintf("%s %d %v", d.fingerprint(l), acks(steps[:k]), l.name == kill.name)
			if known[state] {
				continue
			}
			known[state] = true
			if err := w.after(d, l, steps[:k]); err != nil {
				broken = append(broken, fmt.Sprintf("step %d, %s, losing %s: %v", k, w.last(steps[:k]), l.name, err))
				if ignore != "" || len(broken) >= 5 {
					return broken
				}
			}
		}
	}
	w.t.Logf("%d states after %d steps", len(known), len(steps))
	return broken
}

// last says where the steps end.
func (w *world) last(steps []step) string {
	if len(steps) == 0 {
		return "at the beginning"
	}
	s := steps[len(steps)-1]
	switch {
	case s.op != nil:
		return fmt.Sprintf("after %s %s", s.op.Verb, w.relative(s.op.Path))
	case s.seen != nil:
		return fmt.Sprintf("after %s was seen", s.seen.Type)
	}
	return "after " + s.ack
}

func acks(steps []step) (n int) {
	for _, s := range steps {
		if s.op == nil {
			n++
		}
	}
	return n
}

func (w *world) relative(path string) string {
	rel, err := filepath.Rel(w.dir, path)
	if err != nil {
		return path
	}
	return rel
}

// after puts one state in place and checks what must hold in it.
func (w *world) after(d *disk, l loss, steps []step) error {
	if err := w.restore(d, l); err != nil {
		return err
	}
	killed := l.name == kill.name
	if killed {
		boot("while it works")
	} else {
		boot("after the cut")
	}
	return w.holds(steps, killed)
}

// holds checks what is on disk, opens an engine, and checks all that was
// acknowledged.
func (w *world) holds(steps []step, killed bool) (err error) {
	if w.onDisk != nil {
		if err := w.onDisk(w); err != nil {
			return err
		}
	}
	a, err := w.open()
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, a.Close(context.Background())) }()
	return w.keeps(a, steps, killed)
}

// keeps checks all that was acknowledged, and that the engine goes on.
func (w *world) keeps(a *app.App, steps []step, killed bool) error {
	for _, s := range steps {
		if s.kept != nil && (killed || !s.killOnly) {
			if err := s.kept(w, a); err != nil {
				return fmt.Errorf("%s: %w", s.ack, err)
			}
		}
	}
	for _, c := range w.always {
		if err := c(w, a); err != nil {
			return err
		}
	}
	return w.checkIDs(a, steps)
}

// checkIDs lets every session go on and makes sure that no event gets an id that
// another event had which a reader has seen, and that no event speaks of tampering.
func (w *world) checkIDs(a *app.App, steps []step) error {
	seen := map[string]map[int64]event.Type{}
	for _, s := range steps {
		if s.seen == nil {
			continue
		}
		if seen[s.ack] == nil {
			seen[s.ack] = map[int64]event.Type{}
		}
		seen[s.ack][s.seen.Seq] = s.seen.Type
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		if strings.HasPrefix(id, "run_") {
			if err := w.sameIDs(a, id, seen[id]); err != nil {
				return err
			}
			continue
		}
		events, err := say(a, turn.Request{SessionID: id, Message: "and on"})
		if isGone(err) {
			continue // it was never durable, or deleted
		}
		if err != nil {
			return fmt.Errorf("the session %s does not go on: %w", id, err)
		}
		for _, e := range events {
			if before, reused := seen[id][e.Seq]; reused && e.Seq > 0 {
				return fmt.Errorf("the id %d was that of %s, and is that of %s now", e.Seq, before, e.Type)
			}
			if bytes.Contains(e.Data, []byte("RECORD_CHANGED")) {
				return fmt.Errorf("a crash looks like tampering: %s", e.Data)
			}
		}
		if last := events[len(events)-1]; !last.Ends() {
			return fmt.Errorf("the next turn ends with %s", last.Type)
		}
	}
	return nil
}

// everySessionWorks checks that what is listed can be used. A session without an
// acknowledged turn may have lost all that it was; then the list says so.
func everySessionWorks(w *world, a *app.App) error {
	recs, err := a.Engine.List(context.Background(), w.project)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	for _, r := range recs {
		if r.Damaged != "" {
			continue
		}
		if _, err := a.Engine.Transcript(context.Background(), r.SessionID); err != nil {
			return fmt.Errorf("transcript of %s: %w", r.SessionID, err)
		}
	}
	return nil
}
