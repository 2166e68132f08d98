package project

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/files"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/index"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/statusfile"
)

// status shows how far a deliverable is, and moves it on as its agent's role may. A
// transition is not taken back by undo: what was done, by whom, stays in the file's
// history and on the audit log.
//
// Contract: workspace spec, 3.3; the HTTP contract, row "workspace".
type status struct {
	index       *index.Set
	transitions *statusfile.Writer
}

type statusInput struct {
	Deliverable string `json:"deliverable"`
	To          string `json:"to"`
	Note        string `json:"note"`
}

// Spec implements [tool.Tool].
func (status) Spec() tool.Spec {
	return tool.Spec{
		Name: "project.status",
		Description: "Show the lifecycle state of a deliverable, its history, and what is wrong with its _STATUS.md. " +
			"With to, make a transition: the one way to change that file. Your role decides which you may make: " +
			"4_DOCUMENTS goes from OPEN to INITIALIZED, CHIRALITY_FRAMEWORK from INITIALIZED to SEMANTIC_READY, " +
			"WORKING_ITEMS from either to IN_PROGRESS. Only people move a deliverable to CHECKING and ISSUED. States are never skipped or taken back.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["deliverable"],"properties":{
"deliverable":{"type":"string","minLength":1,"maxLength":500,"description":"its id, such as DEL-01-02, its key PKG-01::DEL-01-02, its label, or the path of its folder"},
"to":{"type":"string","enum":["INITIALIZED","SEMANTIC_READY","IN_PROGRESS","CHECKING","ISSUED"],"description":"the state to go to; without it nothing is changed"},
"note":{"type":"string","maxLength":2000,"description":"one line that is written beside the entry of the history"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t status) Prepare(ctx context.Context, w *tool.Environment, raw json.RawMessage) (tool.Call, error) {
	var in statusInput
	if err := tool.Decode(raw, &in); err != nil {
		return nil, err
	}
	f, err := find(ctx, w, t.index, in.Deliverable)
	if err != nil {
		return nil, err
	}
	d, err := opened(w, f)
	if err != nil {
		return nil, err
	}
	s, err := statusfile.Read(d, t.transitions.Bytes)
	if err != nil {
		return nil, classified(err)
	}
	if in.To == "" {
		return look{s}, nil
	}
	if actor := lifecycle.Actor(w.Agent); actor == "" || actor == lifecycle.Human {
		// A persona of that name would be taken for a person.
		r := tool.Refuse("an agent cannot act as a person")
		r.Authority = true
		return nil, r
	}
	ask := lifecycle.Request{To: in.To, Actor: w.Agent, Note: in.Note, Now: w.Clock()}
	done, err := s.Try(ask)
	if err != nil {
		return nil, classified(err)
	}
	ask.Date = done.Date // what is shown is what is done, also after midnight
	return &move{t.transitions, w, s, ask, done}, nil
}

// look is a call that shows a status.
type look struct{ s *statusfile.Snapshot }

// Effect implements [tool.Call].
func (c look) Effect() permit.Effect {
	return permit.Effect{Tool: "project.status", Kind: permit.Read, Summary: clip("look at the status of " + c.s.Deliverable.Rel), Paths: []string{file(c.s)}}
}

// Run implements [tool.Call].
func (c look) Run(context.Context) (tool.Result, error) { return tool.Result{Text: describe(c.s)}, nil }

// move is a call that makes a transition.
type move struct {
	transitions *statusfile.Writer
	w           *tool.Environment
	s           *statusfile.Snapshot
	ask         lifecycle.Request
	done        lifecycle.Result
}

// Effect implements [tool.Call].
func (c *move) Effect() permit.Effect {
	summary := fmt.Sprintf("move %s from %s to %s as %s", clip(c.s.Deliverable.Rel), c.done.From, c.done.To, c.done.Actor)
	for _, f := range c.s.Lacks(c.done.To) {
		summary += fmt.Sprintf("; %s: %s", f.Code, f.Message)
	}
	return permit.Effect{
		Tool: "project.status", Kind: permit.Write, Paths: []string{file(c.s)},
		Summary: summary,
		Diff:    files.Compare(file(c.s), c.s.Data(), c.done.Data),
	}
}

// Run implements [tool.Call].
func (c *move) Run(ctx context.Context) (tool.Result, error) {
	s, done, err := c.transitions.Change(ctx, c.s.Deliverable, statusfile.Change{
		Request: c.ask, Match: func(hash string) bool { return hash == c.s.Hash },
		By: statusfile.Asker{Agent: c.w.Agent, Session: c.w.Session, Turn: c.w.Turn},
	})
	if err != nil {
		return tool.Result{}, classified(err)
	}
	return tool.Result{Text: fmt.Sprintf("The deliverable is now in %s; it was in %s.\n\n%s", done.To, done.From, describe(s))}, nil
}

func file(s *statusfile.Snapshot) string {
	return strings.TrimPrefix(s.Deliverable.Rel+"/"+layout.StatusFile, "./")
}

// describe is a status in words.
func describe(s *statusfile.Snapshot) string {
	var b strings.Builder
	state := s.Status.CurrentState
	if !s.Status.State().Known() {
		state += " (which the lifecycle does not have: no transition leads on)"
	}
	fmt.Fprintf(&b, "%s\nstate: %s\nlast updated: %s\n", file(s), state, s.Status.LastUpdated)
	for _, f := range s.Status.ExtraFields {
		fmt.Fprintf(&b, "%s: %s\n", f.Key, f.Value)
	}
	b.WriteString("history, as written in the file:\n")
	for _, e := range s.Status.History {
		b.WriteString("  " + strings.ReplaceAll(e.Raw, "\n", "\n  ") + "\n")
	}
	for _, f := range s.Findings {
		fmt.Fprintf(&b, "%s %s, %s: %s\n", f.Severity, f.Code, place(f), f.Message)
	}
	return b.String()
}

// place is where a finding is: a line of _STATUS.md, or another file.
func place(f finding.Finding) string {
	switch base := path.Base(f.Path); {
	case f.Line > 0:
		return fmt.Sprintf("line %d", f.Line)
	case base != layout.StatusFile:
		return base
	}
	return "the whole file"
}

// classified is [explain], with what the agent may never do marked for the audit
// log.
func classified(err error) error {
	if err == nil {
		return nil
	}
	refusal := explain(err)
	if r, ok := tool.AsRefusal(refusal); ok {
		r.Authority = fault.Is(err, fault.UnauthorizedActor)
	}
	return refusal
}
