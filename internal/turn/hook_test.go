package turn

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/turn/ending"
)

// changed is what a command changed, and became of it.
type changed struct{ became chan string }

func (c changed) Effect() permit.Effect {
	return permit.Effect{Tool: "bash", Kind: permit.Execute, Command: "make", Deferred: true, Paths: []string{"a"}, Done: &permit.Done{Files: 1}}
}
func (c changed) Split() bool                                { return false }
func (c changed) Second() bool                               { return false }
func (c changed) Hold(context.Context, string, string) error { return nil }
func (c changed) Apply(context.Context, []string) (tool.Result, error) {
	c.became <- "applied"
	return tool.Result{}, nil
}
func (c changed) Keep(context.Context, string) (tool.Result, error) {
	c.became <- "kept"
	return tool.Result{}, nil
}
func (c changed) Discard(context.Context, string) (tool.Result, error) {
	c.became <- "dropped"
	return tool.Result{}, nil
}

// An interrupt that cuts a hook off is no fault of the hook: nothing says that the call was
// refused, and what a command has changed is kept.
func TestInterruptedHook(t *testing.T) {
	t.Parallel()
	for concerned, becomes := range map[string]string{"writes": "", "bash": "kept"} {
		t.Run(concerned, func(t *testing.T) {
			t.Parallel()
			became, began := make(chan string, 1), make(chan struct{})
			r := emptyRig(t)
			r.open(r.withRequests, withTools(t, act{"writes", permit.Write, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
				close(began)
				return tool.Result{Changes: changed{became}}, nil
			}}), withHook(t, "never", concerned), func(o *Options) { o.Rules.Allowed = []permit.Rule{rule(t, "writes")} })
			r.provider.does(asks(call("c", "writes")))
			id := r.session()
			s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
			must(t, err)
			if becomes != "" {
				<-began
			}
			time.Sleep(50 * time.Millisecond) // the hook may have begun by then, or begins with a turn that is over
			must(t, r.engine.Interrupt(r.ctx(), id, ""))
			if e := payload[event.Exit](t, r.drain(s), event.ProcessExit); e.ExitCode != ending.Interrupted || e.Calls != nil {
				t.Errorf("exit %+v", e)
			}
			for _, kind := range []string{"hook", "refusal"} {
				if lines := r.audited(kind); len(lines) > 0 {
					t.Errorf("the audit log has %+v", lines)
				}
			}
			if becomes != "" {
				if got := <-became; got != becomes {
					t.Errorf("the changes were %s, want %s", got, becomes)
				}
			}
		})
	}
}
