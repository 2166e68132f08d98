package openai

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
		var used []model.Usage
		for _, c := range got {
			if u, ok := c.(model.Usage); ok {
				used = append(used, u)
			}
		}
		if len(used) != 1 {
			t.Errorf("usage %+v, want it once", used)
		}
	})

	t.Run("reasoning", func(t *testing.T) {
		got, err := upstreamtest.Collect(p.Stream(t.Context(), ask("think first")))
		if err != nil {
			t.Fatal(err)
		}
		want := model.Block{Content: model.Thinking{Text: "Let me think about it."}}
		found := false
		for _, c := range got {
			found = found || c == model.Chunk(want)
		}
		if text, _ := upstreamtest.Said(got); !found || text != "Done." {
			t.Errorf("chunks %v", upstreamtest.Substance(got))
		}
	})
}
