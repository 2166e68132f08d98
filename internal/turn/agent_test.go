package turn

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/tool"
	"belay/internal/turn/agent"
	"belay/internal/turn/ending"
)

// An agent of a workflow answers by its own instructions, framed as those of any
// persona, with the files that were accepted for it; its rules deny whatever else
// allows; it has no persona's authority, whatever its name; and the record says who
// it was.
//
// Covers: attachments 6
func TestAgentOfAWorkflow(t *testing.T) {
	t.Parallel()
	var scoped []persona.Persona
	r := newRig(t, writesFreely(t), func(o *Options) {
		o.Rules.Allowed = []permit.Rule{rule(t, "writes")}
		o.Scope = func(_ string, p persona.Persona) tool.Scope { scoped = append(scoped, p); return open{} }
	})
	r.provider.does(asks(call("c", "writes")))
	id := r.session()
	blobs, err := r.store.Blobs(r.project)
	must(t, err)
	sha, n, err := blobs.Put(r.ctx(), strings.NewReader("the file\n"), 100)
	must(t, err)
	item := attachment.Item{Kind: attachment.KindText, MIMEType: "text/plain", SHA256: sha, Bytes: n, Name: "notes.txt", Origin: "notes.txt"}
	all := r.say(id, "", func(q *Request) {
		q.Agent = &Agent{Name: "ORCHESTRATOR", Instructions: "You classify.", From: "flow.yaml#ORCHESTRATOR"}
		q.Items, q.Deny = []attachment.Item{item}, []string{"writes"}
	})
	exitOf(t, all)
	sent := r.provider.requests[0]
	if !strings.Contains(sent.System[0], "You are the agent workflow:ORCHESTRATOR.") || !strings.HasSuffix(sent.System[0], "You classify.") || strings.Contains(sent.System[0], "WORKING_ITEMS") {
		t.Errorf("the system prompt is %q", sent.System[0])
	}
	if got := r.provider.outputs(t)["c"]; !strings.Contains(got, "not permitted") {
		t.Errorf("the call gave %q", got)
	}
	if len(scoped) != 1 || scoped[0].ID != "workflow:ORCHESTRATOR" || scoped[0].WriteScope == "" {
		t.Errorf("the scope is that of %+v", scoped)
	}
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	if e := entries[0]; e.By != "workflow:ORCHESTRATOR" || len(e.Attachments) != 1 || e.Attachments[0].SHA256 != sha {
		t.Errorf("on record is %+v", e)
	}
	m, err := r.engine.Manifest(r.ctx(), id, "")
	must(t, err)
	if m.Persona != "workflow:ORCHESTRATOR" || m.Instructions[0].Path != "flow.yaml#ORCHESTRATOR" || len(m.Attachments) != 1 || m.Attachments[0].Used == "" {
		t.Errorf("the manifest is %+v", m)
	}
}

// A turn of a workflow whose process died is not taken up as a persona's: the
// workflow begins anew. Its end is put on record.
func TestAgentOfAWorkflowIsNotTakenUp(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests)
	r.provider.does(asks(call("c", "writes")))
	id := r.session()
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go", Agent: &Agent{Name: "a", Instructions: "x"}})
	must(t, err)
	r.asked(id)
	lease := r.engine.running.in(id).Lease
	r.engine.Recovery.Stay()
	p, err := r.engine.dead.waiting.Find(context.Background(), lease)
	if err != nil || p != nil {
		t.Errorf("it would be taken up: %+v %v", p, err)
	}
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	if e := payload[event.Exit](t, r.drain(s), event.ProcessExit); e.ExitCode != ending.Interrupted {
		t.Errorf("%+v", e)
	}
}

func rule(t *testing.T, text string) permit.Rule {
	t.Helper()
	r, err := permit.ParseRule(text)
	must(t, err)
	return r
}

// An agent that is alone sees nothing of its session's earlier turns, but for those from
// the one on that it names.
func TestAgentAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	var turns []string
	for i, since := range []int{-1, -1, 1} {
		s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "message " + string(rune('a'+i)), Agent: &Agent{Name: "a", Instructions: "x", Alone: true, Since: func() string {
			if since < 0 {
				return ""
			}
			return turns[since]
		}()}, Opts: Opts{OnBusy: onBusyQueue}})
		must(t, err)
		turns = append(turns, s.Turn())
		exitOf(t, r.drain(s))
	}
	for i, want := range []int{0, 0, 2} {
		if got := len(r.provider.requests[i].History); got != want {
			t.Errorf("turn %d sees %d messages, want %d", i, got, want)
		}
	}
	if h := r.provider.requests[2].History; !strings.Contains(fmt.Sprint(h[0].Content), "message b") {
		t.Errorf("the last turn sees %+v", h)
	}
}

// A direct call asks no model. It is judged as a model's call is, and its result is the
// workflow's.
func TestDirectCall(t *testing.T) {
	t.Parallel()
	for _, denied := range []bool{false, true} {
		r := newRig(t, writesFreely(t), func(o *Options) {
			o.Rules.Allowed = []permit.Rule{rule(t, "writes")}
			o.Rules.Limits.MaxCostUSD = 0.000001 // it costs nothing
		})
		d := &agent.Direct{Tool: "writes", Input: []byte(`{}`)}
		all := r.say(r.session(), "writes", func(q *Request) {
			q.Agent, q.Opts.Tools = &Agent{Name: "tools", Instructions: "x", Direct: d, Alone: true}, &[]string{"writes"}
			if denied {
				q.Deny = []string{"writes"}
			}
		})
		exitOf(t, all)
		if len(r.provider.requests) > 0 {
			t.Error("a model was asked")
		}
		if !d.Settled || denied != (d.Outcome != "") || denied != d.Result.Failed {
			t.Errorf("denied %v: %+v", denied, d)
		}
	}
}
