package turn

import (
	"context"
	"strings"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/model"
)

// deltas runs a turn and returns its texts of one kind.
func deltas(r *rig, kind event.Type) (texts []string) {
	for _, e := range r.say(r.session(), "go") {
		if e.Type != kind {
			continue
		}
		var d event.Text
		must(r.t, decode(e, &d))
		texts = append(texts, d.Text)
	}
	return texts
}

// Covers: turn-api REQ-03
func TestDeltasAreCoalesced(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.Limits.DeltaInterval, o.Rules.Limits.DeltaBytes = time.Hour, 64 })
	tests := []struct {
		name         string
		pieces, want []string
	}{
		{"the first at once, the rest together", []string{"a", "b", "c", "d"}, []string{"a", "bcd"}},
		{"full before the time is up", []string{"a", strings.Repeat("b", 63), "c", "d"}, []string{"a", strings.Repeat("b", 63) + "c", "d"}},
		{"one larger than the limit", []string{strings.Repeat("x", 1000), "y"}, []string{strings.Repeat("x", 1000), "y"}},
		{"empty pieces are nothing", []string{"", "a", "", "b"}, []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r.provider.does(func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
				for _, p := range tt.pieces {
					if !yield(model.TextDelta{Text: p}, nil) {
						return
					}
				}
				yield(model.Stop{Reason: model.StopEndTurn}, nil)
			})
			if texts := deltas(r, event.ChatDelta); strings.Join(texts, "|") != strings.Join(tt.want, "|") {
				t.Errorf("got %q, want %q", texts, tt.want)
			}
		})
	}
}

// Pieces that come slowly are not held until the next one comes.
//
// Covers: turn-api REQ-03
func TestSlowDeltasAreNotHeld(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.Limits.DeltaInterval = time.Millisecond })
	id := r.session()
	s, err := r.engine.Events(r.ctx(), id, 0, "")
	must(t, err)
	defer s.Close()
	seen := make(chan string)
	go func() {
		defer close(seen)
		for {
			events, err := s.Next(r.ctx())
			if err != nil {
				return
			}
			for _, e := range events {
				var d event.Text
				if e.Type == event.ChatDelta && decode(e, &d) == nil {
					seen <- d.Text
				}
				if e.Ends() {
					return
				}
			}
		}
	}()
	r.provider.does(func(ctx context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		for _, p := range []string{"a", "b", "c"} {
			if !yield(model.TextDelta{Text: p}, nil) {
				return
			}
			select {
			case got := <-seen:
				if got != p {
					t.Errorf("got %q, want %q", got, p)
				}
			case <-ctx.Done():
				t.Errorf("%q is held", p)
				return
			}
		}
		yield(model.Stop{Reason: model.StopEndTurn}, nil)
	})
	r.say(id, "go")
}

// A flood loses nothing and makes at most one event per interval and size.
func TestFloodOfDeltas(t *testing.T) {
	t.Parallel()
	const interval, size, pieces = 5 * time.Millisecond, 256, 20_000
	r := emptyRig(t)
	r.now.Store(0)
	begin := time.Now()
	r.open(func(o *Options) { o.Rules.Limits.DeltaInterval, o.Rules.Limits.DeltaBytes = interval, size })
	r.provider.play = func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		for i := range pieces {
			if !yield(model.TextDelta{Text: string(rune('a' + i%26))}, nil) {
				return
			}
		}
		yield(model.Stop{Reason: model.StopEndTurn}, nil)
	}
	texts := deltas(r, event.ChatDelta)
	most := pieces/size + int(time.Since(begin)/interval) + 2
	if all := strings.Join(texts, ""); len(all) != pieces || !strings.HasPrefix(all, "abcdefghijklmnopqrstuvwxyzab") {
		t.Errorf("%d of %d bytes arrived", len(all), pieces)
	}
	if len(texts) > most {
		t.Errorf("%d events, at most %d are right", len(texts), most)
	}
	for _, text := range texts {
		if len(text) > size {
			t.Errorf("an event of %d bytes", len(text))
		}
	}
}

// Pending text goes out before whatever comes after it.
func TestTextComesBeforeWhatFollows(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.Limits.DeltaInterval = patience })
	r.provider.play = func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		_ = yield(model.TextDelta{Text: "1"}, nil) && yield(model.TextDelta{Text: "2"}, nil) &&
			yield(model.ThinkingDelta{Text: "hm"}, nil) && yield(model.ThinkingDelta{Text: "m"}, nil) &&
			yield(model.TextDelta{Text: "3"}, nil) && yield(model.TextDelta{Text: "4"}, nil) &&
			yield(model.ToolOutcome{Name: "bash", OK: true, Output: "done"}, nil) &&
			yield(model.TextDelta{Text: "5"}, nil) && yield(model.Stop{Reason: model.StopEndTurn}, nil)
	}
	var got []string
	for _, e := range r.say(r.session(), "go") {
		switch e.Type {
		case event.ChatDelta, event.ChatThinking:
			var d event.Text
			must(t, decode(e, &d))
			got = append(got, d.Text)
		case event.ToolResult, event.ChatComplete:
			got = append(got, string(e.Type))
		}
	}
	if want := "1|2|hm|m|3|4|tool:result|5|chat:complete"; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}
