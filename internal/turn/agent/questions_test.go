package agent

import (
	"path/filepath"
	"testing"

	"belay/internal/permit"
)

// hurriedRequests is a store with which somebody answers right after the first look for
// an answer.
type hurriedRequests struct {
	Requests
	answer func()
}

func (d *hurriedRequests) Verdict(id string) (permit.Decision, bool, error) {
	decision, answered, err := d.Requests.Verdict(id)
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
	store, err := permit.OpenRequests(permit.RequestsOptions{Dir: filepath.Join(t.TempDir(), "permit")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	hurried := &hurriedRequests{Requests: store}
	questions := Questions{Requests: hurried}
	for _, id := range []string{"dec_1", "dec_2"} {
		if _, err := store.Post(t.Context(), permit.Request{ID: id, SessionID: "sess_1"}); err != nil {
			t.Fatal(err)
		}
		hurried.answer = func() {
			if _, err := store.Decide(t.Context(), "", id, permit.VerdictAllow, "ana", ""); err != nil {
				t.Error(err)
			}
		}
		if id == "dec_1" {
			if !questions.Known(id) {
				t.Error("nobody knows the question")
			}
		} else if q, err := questions.lookUp(id); err != nil || q.open || !q.answered || !q.decision.Allowed() {
			t.Errorf("the question is %+v, %v", q, err)
		}
	}
}
