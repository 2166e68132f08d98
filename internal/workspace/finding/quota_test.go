package finding

import "testing"

func TestQuota(t *testing.T) {
	t.Parallel()
	var q Quota
	few, kept := make([]Finding, 1001), 0
	for range MaxReported / 1000 {
		kept += len(q.Keep(few))
	}
	if kept != MaxReported || q.Dropped() != MaxReported/1000 {
		t.Errorf("%d are kept, %d dropped", kept, q.Dropped())
	}
	if len(q.Keep(few)) != 0 || len(q.Keep(nil)) != 0 {
		t.Error("there is still room")
	}
}
