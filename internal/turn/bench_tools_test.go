package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/tool"
)

// BenchmarkToolRound is what the engine adds to a call of a tool that does
// nothing: from the model's answer to the next request, with the call's events
// and its line of the transcript on disk.
func BenchmarkToolRound(b *testing.B) {
	for _, kind := range []permit.Kind{permit.Read, permit.Write} {
		b.Run(string(kind), func(b *testing.B) {
			r := newRig(b, withTools(b, act{"nothing", kind, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
				return tool.Result{Text: "nothing"}, nil
			}}), func(o *Options) {
				rule, err := permit.ParseRule("nothing")
				must(b, err)
				o.Rules.Allowed = []permit.Rule{rule}
				o.Rules.Limits.MaxTurns = 1 << 30
				o.Rules.Limits.Wall, o.Rules.Limits.Stall = time.Hour, time.Hour
			})
			rounds := make([]time.Duration, 0, b.N)
			n, asked := 0, time.Time{}
			r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
				if n > 0 {
					rounds = append(rounds, time.Since(asked))
				}
				if n == b.N {
					says("done")(ctx, q, yield)
					return
				}
				n++
				c := call(fmt.Sprint("c", n), "nothing")
				if !yield(model.Block{Content: c}, nil) {
					return
				}
				asked = time.Now()
				yield(model.Stop{Reason: model.StopToolUse}, nil)
			})
			id := r.session()
			b.ResetTimer()
			r.say(id, "go")
			b.StopTimer()
			slices.Sort(rounds)
			b.ReportMetric(float64(rounds[len(rounds)/2].Microseconds()), "p50-µs")
		})
	}
}
