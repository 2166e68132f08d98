package turn

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/session"
)

// An answer whose usage the log reports is in the transcript: anyone who fixes a turn
// whose process died takes it from nowhere else. So it is also where a person has said
// something into it.
//
// Covers: turn-api REQ-12
func TestAnswerIsKeptBeforeItsUsageIsTold(t *testing.T) {
	t.Parallel()
	r, id := emptyRig(t), ""
	var told atomic.Int64
	r.stored = func(o *session.Options) {
		o.Observer = func(_ string, events []event.Event) {
			for _, e := range events {
				if e.Type != event.Usage {
					continue
				}
				want := int(told.Add(1))
				kept, err := os.ReadFile(filepath.Join(r.project, ".belay", "sessions", id, "transcript.jsonl"))
				if n := strings.Count(string(kept), "the answer"); n != want || err != nil {
					t.Errorf("%d answers are kept where %d are told of, %v", n, want, err)
				}
			}
		}
	}
	r.open()
	id = r.session()
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if told.Load() == 0 {
			if err := r.engine.Steer(ctx, SteerRequest{SessionID: id, Message: "and then"}); err != nil {
				t.Error(err)
			}
		}
		yield(model.Usage{InputTokens: 1, OutputTokens: 1}, nil)
		says("the answer")(ctx, q, yield)
	})
	r.say(id, "go")
	if n := told.Load(); n != 2 {
		t.Errorf("%d usages were told, want 2", n)
	}
}
