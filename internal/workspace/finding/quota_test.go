package finding

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestQuota(t *testing.T) {
	t.Parallel()
	var q Quota
	var kept atomic.Int64
	var all sync.WaitGroup
	few := make([]Finding, 1001)
	for range 8 {
		all.Go(func() {
			for range MaxReported / 8 / 1000 {
				kept.Add(int64(len(q.Keep(few))))
			}
		})
	}
	all.Wait()
	if kept.Load() != MaxReported || q.Dropped() != MaxReported/1000 {
		t.Errorf("%d are kept, %d dropped", kept.Load(), q.Dropped())
	}
	if len(q.Keep(few)) != 0 || len(q.Keep(nil)) != 0 {
		t.Error("there is still room")
	}
}
