package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/tool"
)

// reaches is a tool whose call runs with the decisions about hosts.
func reaches(t testing.TB, run func(ctx context.Context, n tool.Network) string) func(*Options) {
	return withTools(t, act{"reaches", permit.Read, func(ctx context.Context, w *tool.Environment, _ json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: run(ctx, w.Network)}, nil
	}})
}

// ruled asks about hosts without waiting, and says what came of it.
func ruled(ctx context.Context, n tool.Network, hosts ...string) string {
	at, cancel := context.WithCancel(ctx)
	cancel()
	var all []string
	for _, h := range hosts {
		r, err := n.Ask(at, permit.HostEffect(h))
		if err == nil {
			err = n.Record(ctx, permit.HostEffect(h), r)
		}
		if err != nil {
			return err.Error()
		}
		all = append(all, fmt.Sprintf("%s %s", h, r.Outcome))
	}
	return strings.Join(all, ", ")
}

// A question about a host stays open when the connection has given up. Its answer counts
// for the next one, that for the session also for the other registries. What nobody has
// answered is closed with the turn.
func TestHostsAreAskedAbout(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	var id string
	r.open(r.withRequests, reaches(t, func(ctx context.Context, n tool.Network) string {
		first := ruled(ctx, n, "pypi.org", "pypi.org", "crates.io")
		q := r.asked(id)
		if q.Effect.Tool != permit.NetworkTool || q.ToolCallID != "c" || !q.Session || q.Effect.KindOfCall() != "the usual package registries" {
			t.Errorf("the question is %+v", q)
		}
		_, err := r.engine.Decide(ctx, DecisionRequest{SessionID: id, DecisionID: q.ID, Verdict: permit.VerdictAllowSession, By: "ana"})
		must(t, err)
		answered, err := n.Ask(ctx, permit.HostEffect("pypi.org"))
		must(t, err)
		eventually(t, "the end of the question that the answer covers", func() bool {
			open, err := r.engine.Decisions(ctx, id)
			return err == nil && len(open) == 0
		})
		return first + "; " + string(answered.Outcome) + "; " + ruled(ctx, n, "pypi.org", "crates.io", "other.test")
	}))
	r.provider.does(asks(call("c", "reaches")))
	id = r.session()
	events := r.say(id, "go")
	const want = "pypi.org ask, pypi.org ask, crates.io ask; allow; pypi.org allow, crates.io allow, other.test ask"
	if got := r.provider.outputs(t)["c"]; got != want {
		t.Errorf("the call got %q, want %q", got, want)
	}
	var asked, given []string
	for _, e := range events {
		switch e.Type {
		case event.PermissionAsked:
			var p event.Permission
			must(t, decode(e, &p))
			asked = append(asked, p.Name+" "+p.DecisionID)
		case event.PermissionGiven:
			var v event.Verdict
			must(t, decode(e, &v))
			given = append(given, v.Verdict+" by "+v.By)
		}
	}
	if len(asked) != 3 || len(given) != 3 || given[0] != "allow_session by ana" {
		t.Errorf("asked %q, given %q", asked, given)
	}
	if open, err := r.engine.Decisions(r.ctx(), id); err != nil || len(open) != 0 {
		t.Errorf("%d questions are left, %v", len(open), err)
	}
	var log []string
	for _, e := range r.audited("network") {
		log = append(log, e.Verdict+" "+e.Summary+" "+e.ToolCallID+" "+e.Tool)
	}
	if len(log) != 6 || log[0] != "ask pypi.org c reaches" || log[3] != "allow pypi.org c reaches" {
		t.Errorf("the audit log has %q", log)
	}
}

// A person's no counts for the rest of the turn, and so does what nobody can be asked.
func TestHostsThatAreNotAllowed(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	var id string
	r.open(r.withRequests, reaches(t, func(ctx context.Context, n tool.Network) string {
		said := ruled(ctx, n, "bad.test")
		q := r.asked(id)
		_, err := r.engine.Decide(ctx, DecisionRequest{SessionID: id, DecisionID: q.ID, Verdict: permit.VerdictDeny, By: "ana", Note: "use the mirror"})
		must(t, err)
		r, err := n.Ask(ctx, permit.HostEffect("bad.test"))
		must(t, err)
		return said + "; " + string(r.Outcome) + ": " + r.Reason
	}))
	r.provider.does(asks(call("c", "reaches")))
	id = r.session()
	r.say(id, "go")
	const want = "bad.test ask; refuse: a person was asked and did not allow it; they said: use the mirror"
	if got := r.provider.outputs(t)["c"]; got != want {
		t.Errorf("the call got %q", got)
	}
}

// Nobody is asked in the modes that do not ask, nor in a turn that asks nobody, nor about
// one host after the other without end.
func TestHostsThatNobodyIsAskedAbout(t *testing.T) {
	t.Parallel()
	many := make([]string, mostHostQuestions+1)
	for i := range many {
		many[i] = fmt.Sprintf("%d.test", i)
	}
	r := emptyRig(t)
	r.open(r.withRequests, reaches(t, func(ctx context.Context, n tool.Network) string {
		all := strings.Split(ruled(ctx, n, many...), ", ")
		return all[0] + ", " + all[len(all)-1]
	}))
	for name, c := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"plan":       {func(r *Request) { r.Opts.Mode = "plan" }, "0.test refuse, 20.test refuse"},
		"dontAsk":    {func(r *Request) { r.Opts.Mode = "dontAsk" }, "0.test refuse, 20.test refuse"},
		"onQuestion": {func(r *Request) { r.Opts.OnQuestion = OnQuestionRefuse }, "0.test refuse, 20.test refuse"},
		"a rule":     {func(r *Request) { r.Opts.Mode, r.Allow = "plan", []string{"network(0.test)"} }, "0.test allow, 20.test refuse"},
		"too many":   {func(*Request) {}, "0.test ask, 20.test refuse"},
	} {
		r.provider.does(asks(call("c", "reaches")))
		r.say(r.session(), "go", c.change)
		if got := r.provider.outputs(t)["c"]; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
