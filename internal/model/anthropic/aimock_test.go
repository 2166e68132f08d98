package anthropic

import (
	"testing"

	"belay/internal/model"
	"belay/internal/model/upstream/upstreamtest"
)

// Covers: turn-api REQ-02, REQ-03, REQ-05
func TestAgainstAnIndependentMock(t *testing.T) {
	t.Parallel()
	url := upstreamtest.StartMock(t)
	kit.Mock(t, url)
	p := provider(t, url)

	t.Run("usage", func(t *testing.T) {
		got, err := upstreamtest.Collect(p.Stream(t.Context(), ask("greet me")))
		if err != nil {
			t.Fatal(err)
		}
		var last model.Usage
		for _, c := range got {
			if now, ok := c.(model.Usage); ok {
				last = now
			}
		}
		if last.InputTokens != 21 || last.OutputTokens != 9 {
			t.Errorf("usage %+v", last)
		}
	})

	t.Run("reasoning", func(t *testing.T) {
		got, err := upstreamtest.Collect(p.Stream(t.Context(), ask("think first")))
		if err != nil {
			t.Fatal(err)
		}
		var thought model.Thinking
		for _, c := range got {
			if b, ok := c.(model.Block); ok {
				if th, ok := b.Content.(model.Thinking); ok {
					thought = th
				}
			}
		}
		if thought.Text != "Let me think about it." || thought.Signature == "" {
			t.Errorf("thought %+v", thought)
		}
	})
}

func BenchmarkTurnAgainstTheMock(b *testing.B) {
	p := provider(b, upstreamtest.StartMock(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := upstreamtest.Collect(p.Stream(b.Context(), ask("greet me"))); err != nil {
			b.Fatal(err)
		}
	}
}
