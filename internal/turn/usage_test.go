package turn

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
)

func TestUsage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	r.say(id, "one")
	r.say(id, "two")
	r.now.Add(int64(24 * time.Hour))
	r.say(id, "three", func(q *Request) { q.Opts.Model = "without-a-price" })

	const sonnet = (10*3 + 5*15) / 1e6 // of one turn of the fake provider
	cost := sonnet + sonnet
	first := UsageRow{Day: "2026-03-01", ProjectRoot: r.project, Model: "claude-sonnet-4-20250514", Turns: 2,
		Tokens: event.Tokens{InputTokens: 20, OutputTokens: 10, CostUSD: &cost}}
	second := UsageRow{Day: "2026-03-02", ProjectRoot: r.project, Model: "without-a-price", Turns: 1,
		Tokens: event.Tokens{InputTokens: 10, OutputTokens: 5}}
	for _, tt := range []struct {
		since time.Time
		want  []UsageRow
	}{
		{time.Time{}, []UsageRow{first, second}},
		{r.clock().Add(-time.Hour), []UsageRow{second}},
		{r.clock().Add(time.Hour), []UsageRow{}},
	} {
		got, err := r.engine.Usage(r.ctx(), tt.since)
		must(t, err)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("since %v (-want +got):\n%s", tt.since, diff)
		}
	}
}
