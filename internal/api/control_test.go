package api_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/client"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// Steering, interrupts and decisions are the same through a server as in the process itself.
//
// Covers: turn-api REQ-04
func TestSteeringAndDecisionsPassTheServerUnchanged(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{}
	address := start(t, engine, api.Options{Operator: api.NewOperator(api.OperatorOptions{Token: "captain"})})
	c, err := client.New("http://"+address, client.Options{Token: "captain"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ctx := t.Context()
	hold(t, engine)

	said := turn.SteerRequest{SessionID: "s1", Message: "<left>\u2028", Attachments: []string{"/a b/ü.png"}, Mode: session.FollowUp}
	if err := c.Steer(ctx, said); err != nil {
		t.Fatal(err)
	}
	if err := c.Steer(ctx, turn.SteerRequest{SessionID: "s1", Message: "right"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]turn.SteerRequest{said, {SessionID: "s1", Message: "right", Mode: session.Steer}}, apitest.Steers(engine)); diff != "" {
		t.Errorf("steered (-sent +received):\n%s", diff)
	}

	engine.Ask(question("dec_1"))
	beside, err := engine.Decisions(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	through, err := c.Decisions(ctx, "s1")
	if diff := cmp.Diff(beside, through); err != nil || diff != "" {
		t.Errorf("decisions: %v\n%s", err, diff)
	}
	d, err := c.Decide(ctx, turn.DecisionRequest{SessionID: "s1", DecisionID: "dec_1", Verdict: permit.VerdictDeny, By: "ana", Note: "not now"})
	if want := (permit.Decision{DecisionID: "dec_1", Verdict: permit.VerdictDeny, By: "ana", Note: "not now", Time: apitest.Start}); err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := c.Decide(ctx, turn.DecisionRequest{SessionID: "s1", DecisionID: "dec_1", Verdict: permit.VerdictAllow}); !fault.Is(err, fault.DecisionClosed) {
		t.Errorf("the second answer: %v", err)
	}
	if _, err := c.Undo(ctx, changes.UndoRequest{SessionID: "s1", TurnID: "t1"}); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("undo while a turn runs: %v", err)
	}
	engine.Release("s1")
	engine.Wait()

	shown, err := engine.Changes(ctx, "s1", "t1")
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Changes(ctx, "s1", "t1")
	if diff := cmp.Diff(shown, got); err != nil || diff != "" {
		t.Errorf("changes: %v\n%s", err, diff)
	}
	for _, already := range []bool{false, true} {
		done, err := c.Undo(ctx, changes.UndoRequest{SessionID: "s1", TurnID: "t1"})
		if err != nil || done.Already != already || cmp.Diff([]string{"notes.md"}, done.Paths) != "" {
			t.Errorf("undo: %+v, %v", done, err)
		}
	}
	fork, err := c.Fork(ctx, changes.ForkRequest{SessionID: "s1"})
	if err != nil || fork.SessionID != "s2" || *fork.ForkedFrom != (session.Origin{SessionID: "s1", TurnID: "t1"}) {
		t.Errorf("fork: %+v, %v", fork, err)
	}
}

// So is what people do with kept changes.
func TestClientAndServerCarryKeptChangesUnchanged(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{}
	address := start(t, engine, api.Options{Operator: api.NewOperator(api.OperatorOptions{Token: "captain"})})
	c, err := client.New("http://"+address, client.Options{Token: "captain"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ctx, root := t.Context(), t.TempDir()
	beside, err := engine.Kept(ctx, root)
	if err != nil {
		t.Fatal(err)
	}
	through, err := c.Kept(ctx, root)
	if diff := cmp.Diff(beside, through); err != nil || diff != "" {
		t.Errorf("kept changes: %v\n%s", err, diff)
	}
	one, err := engine.KeptChange(ctx, root, apitest.KeptID)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.KeptChange(ctx, root, apitest.KeptID)
	if diff := cmp.Diff(one, got); err != nil || diff != "" {
		t.Errorf("a kept change: %v\n%s", err, diff)
	}
	done, err := c.ApplyKept(ctx, changes.KeptRequest{ProjectRoot: root, ID: apitest.KeptID, Only: []string{"b.txt"}, By: "ana"})
	if want := (changes.KeptResult{ID: apitest.KeptID, Paths: []string{"b.txt"}, Left: 1, SessionID: "s1", TurnID: "t1"}); err != nil || !reflect.DeepEqual(done, want) {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := c.DropKept(ctx, changes.KeptRequest{ProjectRoot: root, ID: apitest.KeptBusy}); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("drop what a turn asks about: %v", err)
	}
	if done, err = c.DropKept(ctx, changes.KeptRequest{ProjectRoot: root, ID: apitest.KeptID}); err != nil || done.ID != apitest.KeptID {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := c.KeptChange(ctx, root, apitest.KeptID); !fault.Is(err, fault.NotFound) {
		t.Errorf("show what was dropped: %v", err)
	}
}
