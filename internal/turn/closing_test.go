package turn

import (
	"context"
	"testing"

	"belay/internal/permit"
)

// hurriedDesk is a desk at which somebody answers right after the first look for
// an answer.
type hurriedDesk struct {
	Desk
	answer func()
}

func (d *hurriedDesk) Verdict(id string) (permit.Decision, bool, error) {
	decision, answered, err := d.Desk.Verdict(id)
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
	hurried := &hurriedDesk{}
	r.open(r.withDesk, func(o *Options) {
		hurried.Desk = o.Desk
		o.Desk = hurried
	})
	for _, id := range []string{"dec_1", "dec_2"} {
		_, err := hurried.Post(r.ctx(), permit.Request{ID: id, SessionID: "sess_1"})
		must(t, err)
		hurried.answer = func() {
			_, err := hurried.Decide(context.Background(), "", id, permit.VerdictAllow, "ana", "")
			must(t, err)
		}
		if id == "dec_1" {
			if !r.engine.questioned(id) {
				t.Error("nobody knows the question")
			}
		} else if q, err := r.engine.lookUp(id); err != nil || q.open || !q.answered || !q.decision.Allowed() {
			t.Errorf("the question is %+v, %v", q, err)
		}
	}
}
