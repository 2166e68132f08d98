package turn

import (
	"context"
	"testing"

	"belay/internal/permit"
)

// hurriedRequests is a store with which somebody answers right after the first look for
// an answer.
type hurriedRequests struct {
	PermissionRequests
	answer func()
}

func (d *hurriedRequests) Verdict(id string) (permit.Decision, bool, error) {
	decision, answered, err := d.PermissionRequests.Verdict(id)
	if d.answer != nil {
		d.answer()
		d.answer = nil
	}
	return decision, answered, err
}

// A server that starts while somebody answers takes the turn up with that answer.
//
// Covers: turn-api REQ-04
func TestAnsweredWhileTheTurnIsTakenUp(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	hurried := &hurriedRequests{}
	r.open(r.withRequests, func(o *Options) {
		hurried.PermissionRequests = o.Requests
		o.Requests = hurried
	})
	for _, id := range []string{"dec_1", "dec_2"} {
		_, err := hurried.Post(r.ctx(), permit.Request{ID: id, SessionID: "sess_1"})
		must(t, err)
		hurried.answer = func() {
			_, err := hurried.Decide(context.Background(), "", id, permit.VerdictAllow, "ana", "")
			must(t, err)
		}
		if id == "dec_1" {
			if !r.engine.dead.waiting.Questions.Known(id) {
				t.Error("nobody knows the question")
			}
		} else if q, err := r.engine.dead.waiting.Questions.lookUp(id); err != nil || q.open || !q.answered || !q.decision.Allowed() {
			t.Errorf("the question is %+v, %v", q, err)
		}
	}
}
