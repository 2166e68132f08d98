package overview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/permit"
)

// patience bounds every wait of the tests.
const patience = 5 * time.Minute

// watch is a subscription whose events a test waits for.
type watch struct {
	*Subscription
	t       testing.TB
	waiting []event.Event
	last    string // the position after the last event that was returned
}

func (w *world) watch(position string) *watch {
	w.t.Helper()
	s, err := w.Subscribe(context.Background(), position)
	must(w.t, err)
	w.t.Cleanup(s.Close)
	return &watch{Subscription: s, t: w.t}
}

// want waits for an event of that type whose data has the text.
func (s *watch) want(kind event.Type, text string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var seen []string
	for {
		for len(s.waiting) == 0 {
			events, err := s.Next(ctx)
			if err != nil {
				s.t.Fatalf("no %s with %q: %v; there were\n%s", kind, text, err, strings.Join(seen, "\n"))
			}
			s.waiting = events
		}
		e := s.waiting[0]
		s.waiting, s.last = s.waiting[1:], s.At(e.Seq)
		if e.Type == kind && strings.Contains(string(e.Data), text) {
			return
		}
		seen = append(seen, fmt.Sprintf("%s %s", e.Type, e.Data))
	}
}

func TestFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bridge := t.TempDir()
	old := w.session(bridge, "Old")
	w.turn(old.SessionID, "t1", "hello", 0, false)
	s := w.watch("")
	s.want(FeedReady, `"version":0`)

	l := w.turn(old.SessionID, "t2", "go on", 0, true)
	s.want(SessionChanged, `"state":"running"`)
	must(t, l.Release())
	s.want(SessionChanged, `"state":"idle"`)

	tower := t.TempDir()
	rec := w.session(tower, "")
	s.want(ProjectsChanged, "{}")
	s.want(SessionChanged, `"title":""`)
	w.turn(rec.SessionID, "t1", "Paint it", 0.5, false)
	s.want(SessionChanged, `"costUsd":0.5`)

	w.ask("dec_1", rec.SessionID, tower)
	s.want(DecisionOpened, `"decisionId":"dec_1"`)
	s.want(SessionChanged, `"state":"waiting"`)
	before := s.last
	_, err := w.requests.Decide(t.Context(), rec.SessionID, "dec_1", permit.VerdictAllow, "ana", "once")
	must(t, err)
	s.want(DecisionClosed, `"verdict":"allow","by":"ana","note":"once"`)
	s.want(SessionChanged, `"state":"idle"`)
	must(t, w.store.Delete(t.Context(), old.SessionID))
	s.want(SessionRemoved, old.SessionID)

	// Who comes back misses nothing, also after nobody listened for a while.
	s.Close()
	must(t, w.store.Delete(t.Context(), rec.SessionID))
	again := w.watch(before)
	again.want(FeedReady, "")
	again.want(DecisionClosed, "dec_1")
	again.want(SessionRemoved, old.SessionID)
	again.want(SessionRemoved, rec.SessionID)

	for _, foreign := range []string{"rubbish", "ABCDEFGHIJKL.0", w.feed.epoch + ".999999", w.feed.epoch + ".-1"} {
		w.watch(foreign).want(FeedReset, "")
	}
	w.Overview.Close()
	if _, err := again.Next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := w.Subscribe(t.Context(), ""); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// A question is reported at once, however seldom everything else is looked at.
func TestQuestionsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Tick = time.Hour })
	bridge := t.TempDir()
	asking := w.session(bridge, "Asking")
	s := w.watch("")
	s.want(FeedReady, `"version":0`)
	w.ask("dec_1", asking.SessionID, bridge)
	s.want(DecisionOpened, `"decisionId":"dec_1"`)
	_, err := w.requests.Decide(t.Context(), asking.SessionID, "dec_1", permit.VerdictAllow, "ana", "")
	must(t, err)
	s.want(DecisionClosed, `"decisionId":"dec_1"`)
}

// The feed keeps the latest changes only, and a reader that is further behind learns of it.
func TestFeedDropsOldChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Tick = time.Hour })
	slow, quick := w.watch(""), w.watch("")
	slow.want(FeedReady, "")
	quick.want(FeedReady, "")
	many := make([]draft, maxChanges+10)
	for i := range many {
		many[i] = draft{SessionRemoved, Removed{fmt.Sprint(i)}}
	}
	w.feed.emit(many[:10])
	quick.want(SessionRemoved, `"9"`)
	w.feed.emit(many[10:])
	quick.want(SessionRemoved, fmt.Sprintf("%q", fmt.Sprint(maxChanges+9)))
	w.feed.emit(many[:1])
	slow.want(FeedReset, fmt.Sprintf(`"version":%d`, maxChanges+11))
	large, err := json.Marshal(strings.Repeat("x", maxChangeBytes/4))
	must(t, err)
	for range 8 {
		w.feed.emit([]draft{{SessionRemoved, json.RawMessage(large)}})
	}
	if w.feed.bytes > maxChangeBytes || len(w.feed.changes) > 4 {
		t.Errorf("it keeps %d bytes in %d changes", w.feed.bytes, len(w.feed.changes))
	}
}
