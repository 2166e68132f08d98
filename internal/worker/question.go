package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/render"
)

// asked publishes that a call waits for a person.
func (o *output) asked(ctx context.Context, e event.Event) error {
	var p struct {
		event.Permission
		Effect permit.Effect `json:"effect"`
	}
	if err := json.Unmarshal(e.Data, &p); err != nil {
		o.j.log().Error("bus: a question cannot be read", "error", err)
		return nil
	}
	o.open[p.DecisionID] = p.ToolCallID
	d := decision(permit.Request{
		ID: p.DecisionID, TurnID: e.Turn, ToolCallID: p.ToolCallID, Persona: p.Persona, Effect: p.Effect,
		Reason: p.Reason, Created: e.Time, Expires: p.ExpiresAt, Session: p.Session,
	})
	var after int64
	err := o.j.w.persist(ctx, func() (err error) {
		after, err = o.box.Position(ctx)
		return err
	})
	if err != nil {
		return err
	}
	d = fit(d, limit(contract.TypeDecisionOpened)-encoded(contract.DecisionOpened{After: after}))
	return o.signal(ctx, "opened:"+p.DecisionID, &contract.DecisionOpened{Decision: d, After: after})
}

// answered publishes that a question is closed.
func (o *output) answered(ctx context.Context, e event.Event) error {
	var v event.Verdict
	if !read(e, &v) {
		return nil
	}
	delete(o.open, v.DecisionID)
	return o.closed(ctx, v, e.Turn, e.Time)
}

// closeOpen closes the questions of a turn that ended without an answer.
func (o *output) closeOpen(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(o.open)) {
		v := event.Verdict{DecisionID: id, ToolCallID: o.open[id], Verdict: string(permit.VerdictDeny), By: permit.ByBelay, Note: "the turn has ended"}
		if err := o.closed(ctx, v, o.j.turnID(), o.j.w.o.Clock().UTC()); err != nil {
			return err
		}
		delete(o.open, id)
	}
	return nil
}

func (o *output) closed(ctx context.Context, v event.Verdict, turnID string, at time.Time) error {
	return o.signal(ctx, "closed:"+v.DecisionID, &contract.DecisionClosed{
		DecisionID: v.DecisionID, TurnID: turnID, ToolCallID: v.ToolCallID, Verdict: contract.Verdict(v.Verdict),
		By: contract.Cut(v.By, maxLine/2), Note: contract.Cut(v.Note, maxNote), Time: at,
	})
}

// signal publishes a signal about the request. What the contract refuses is left out: the
// turn goes on, so its request must not end for that.
func (o *output) signal(ctx context.Context, id string, p contract.Payload) error {
	err := o.j.w.publish(ctx, o.j.envelope(id), p)
	if err != nil && permanent(err) {
		o.j.log().Error("bus: a signal cannot be carried", "type", contract.TypeOf(p), "error", err)
		return nil
	}
	return err
}

// decision is a question as the bus has it.
func decision(r permit.Request) contract.Decision {
	e := r.Effect
	d := contract.Decision{
		DecisionID: r.ID, TurnID: r.TurnID, ToolCallID: r.ToolCallID, Asks: asks(e), Tool: contract.Cut(e.Tool, maxLine/2),
		Summary: contract.Cut(e.Summary, maxNote), Reason: contract.Cut(r.Reason, maxNote), Persona: contract.Cut(r.Persona, maxLine/2),
		Command: contract.Cut(e.Command, contract.MaxCommand), Outside: e.Outside, Background: e.Background, Why: contract.Cut(e.Why, maxNote),
		Files: changedFiles(e), Diff: contract.Cut(e.Diff, contract.MaxDiff), Session: r.Session, ExpiresAt: r.Expires, Time: r.Created,
	}
	d.CommandTruncated, d.DiffTruncated = longer(e.Command, contract.MaxCommand), longer(e.Diff, contract.MaxDiff)
	if e.Command == "" { // then the summary alone says what is asked
		d.CommandTruncated = longer(e.Summary, maxNote)
	}
	note := func(text string) {
		d.CommandTruncated = d.CommandTruncated || longer(text, maxNote)
		d.Notes = append(d.Notes, contract.Cut(text, maxNote))
	}
	for _, h := range e.Hosts[:min(len(e.Hosts), maxPaths)] {
		d.Hosts = append(d.Hosts, contract.Cut(h, contract.MaxHost))
		d.CommandTruncated = d.CommandTruncated || longer(h, contract.MaxHost)
	}
	for _, s := range unnamed(e.Automatic, d.Files) {
		note("runs by itself: " + s)
	}
	for _, line := range slices.Concat(render.GitLines(e), publication(e)) {
		note(line)
	}
	d.FileCount = len(render.Files(e))
	if e.Done != nil {
		d.Output, d.Failed = contract.Cut(e.Done.Output, maxOutput), e.Done.Failed
		for _, i := range e.Done.Ignored {
			note(fmt.Sprintf("%s that git ignores: %s", quantity.Count(i.Files, "file", "files"), i.Path))
		}
	}
	d.CommandTruncated = d.CommandTruncated || len(d.Notes) > maxPaths || len(d.Hosts) < len(e.Hosts)
	d.Notes = d.Notes[:min(len(d.Notes), maxPaths)]
	return d
}

// longer reports whether a text loses its end when it is cut to so many bytes.
func longer(text string, most int) bool {
	return len(contract.Cut(text, most)) < len(contract.Cut(text, math.MaxInt))
}

// publication are the lines about files to be sent. Where there are many, it leaves out the
// beginnings of their contents rather than files.
func publication(e permit.Effect) []string {
	lines := render.Publication(e)
	if len(lines) > maxPaths {
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  ") })
	}
	return lines
}

// maxOutput is that of permit.Done.
const maxOutput = 4 << 10

// asks says what a question is about.
func asks(e permit.Effect) contract.Asks {
	switch {
	case e.Done != nil, e.Kind == permit.Write:
		return contract.AsksChanges
	case e.Kind == permit.Network:
		return contract.AsksHost
	case e.Kind == permit.Publish:
		return contract.AsksPublish
	default:
		return contract.AsksRun
	}
}

// changedFiles are the first files of a question, each with its class.
func changedFiles(e permit.Effect) (all []contract.ChangedFile) {
	for i, p := range render.Files(e) {
		if len(all) == maxPaths {
			break
		}
		f := contract.ChangedFile{Path: contract.Cut(p, maxNote), Class: contract.ClassOrdinary}
		if why, ok := reasonOf(e.OnRequest, p); ok {
			f.Class, f.Reason = contract.ClassRunsOnRequest, why
		}
		if why, ok := reasonOf(e.Automatic, p); ok {
			f.Class, f.Reason = contract.ClassRunsByItself, why
		}
		if sent := e.Publication; sent != nil && i < len(sent.Files) {
			f.Bytes = max(sent.Files[i].Bytes, 0)
		}
		all = append(all, f)
	}
	return all
}

// unnamed are the sentences about paths that no file of a question has: those in repositories
// of git, and in folders that come as a whole.
func unnamed(sentences []string, files []contract.ChangedFile) (rest []string) {
	for _, s := range sentences {
		if !slices.ContainsFunc(files, func(f contract.ChangedFile) bool { return strings.HasPrefix(s, f.Path+" ") }) {
			rest = append(rest, s)
		}
	}
	return rest
}

// reasonOf finds the sentence about a path.
func reasonOf(sentences []string, path string) (string, bool) {
	for _, s := range sentences {
		if why, ok := strings.CutPrefix(s, path+" "); ok {
			return contract.Cut(why, maxNote), true
		}
	}
	return "", false
}
