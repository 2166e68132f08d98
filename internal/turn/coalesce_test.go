package turn

import (
	"context"
	"strings"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/model"
)

// deltas runs a turn and returns its text events with the time between them.
func deltas(r *rig, kind event.Type) (texts []string, gaps []time.Duration) {
	var last time.Time
	for _, e := range r.say(r.session(), "go") {
		if e.Type != kind {
			continue
		}
		var d event.Text
		must(r.t, decode(e, &d))
		texts = append(texts, d.Text)
		gaps = append(gaps, e.Time.Sub(last))
		last = e.Time
	}
	return texts, gaps
}

// Covers: turn-api REQ-03
func TestDeltasAreCoalesced(t *testing.T) {
	t.Parallel()
	const interval = 60 * time.Millisecond
	r := newRig(t, func(o *Options) { o.Rules.Limits.DeltaInterval, o.Rules.Limits.DeltaBytes = interval, 64 })
	tests := []struct {
		name   string
		pieces []string
		pause  time.Duration
		want   []string
	}{
		{"the first at once, the rest together", []string{"a", "b", "c", "d"}, 0, []string{"a", "bcd"}},
		{"full before the time is up", []string{"a", strings.Repeat("b", 63), "c", "d"}, 0, []string{"a", strings.Repeat("b", 63) + "c", "d"}},
		{"one larger than the limit", []string{strings.Repeat("x", 1000), "y"}, 0, []string{strings.Repeat("x", 1000), "y"}},
		{"slow pieces are not held", []string{"a", "b", "c"}, 2 * interval, []string{"a", "b", "c"}},
		{"empty pieces are nothing", []string{"", "a", "", "b"}, 0, []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r.provider.does(func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
				for _, p := range tt.pieces {
					if !yield(model.TextDelta{Text: p}, nil) {
						return
					}
					time.Sleep(tt.pause)
				}
				yield(model.Stop{Reason: model.StopEndTurn}, nil)
			})
			texts, _ := deltas(r, event.ChatDelta)
			if strings.Join(texts, "|") != strings.Join(tt.want, "|") {
				t.Errorf("got %q, want %q", texts, tt.want)
			}
		})
	}
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
	texts, _ := deltas(r, event.ChatDelta)
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
