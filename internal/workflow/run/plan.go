package run

import (
	"context"
	"path/filepath"
	"slices"

	"belay/internal/attachment/gather"
	"belay/internal/authored"
	"belay/internal/template"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// Plan is everything that a run would do, if it is known before it.
type Plan struct {
	Workflow string         `json:"workflow"`
	Version  string         `json:"version,omitempty"`
	File     string         `json:"file"`
	SHA256   string         `json:"sha256"`
	Project  string         `json:"project"`
	Folder   string         `json:"folder"`
	Input    map[string]any `json:"input"`
	Snapshot string         `json:"snapshot,omitempty"`
	// Tasks are in the file's order; a run begins with the first.
	Tasks []PlannedTask `json:"tasks"`
	// Tokens estimates the input of the tasks, each done once, where it is
	// known.
	Tokens int64 `json:"estimatedTokens"`
}

// PlannedTask is a task as it would be done.
type PlannedTask struct {
	Key    string          `json:"key"`
	ID     string          `json:"id"`
	Kind   definition.Kind `json:"kind"`
	Agent  string          `json:"agent,omitempty"`
	Action string          `json:"action,omitempty"`
	Model  string          `json:"model,omitempty"`
	// Provider is the one that the agent names; it gets what the agent is shown.
	Provider string `json:"provider,omitempty"`
	// Tool is what a tool task calls; its Input is the tool's.
	Tool string `json:"tool,omitempty"`
	// Input is what templates see as .input, where that is known.
	Input any `json:"input,omitempty"`
	// Instructions and Prompt are those of the agent. Where something of the
	// task is not known before others are done, it is as written, and WaitsFor names
	// those others.
	Instructions string   `json:"instructions,omitempty"`
	Prompt       string   `json:"prompt,omitempty"`
	WaitsFor     []string `json:"waitsFor,omitempty"`
	// Tools are those that the file gives the agent; nil for a task without one.
	Tools *[]string `json:"tools,omitempty"`
	// Asks are the rules of permission that the file would allow: calls that they
	// cover ask all the same, unless the person who starts the run allows them. Of a tool
	// task it is the tool, where its call certainly asks.
	Asks        []string            `json:"asks,omitempty"`
	Deny        []string            `json:"deny,omitempty"`
	Attachments []PlannedAttachment `json:"attachments,omitempty"`
	// Tokens estimates what the model would be sent, Items those of a collection
	// included.
	Tokens int64 `json:"estimatedTokens,omitempty"`
	// Unreached says that no task leads to it, so that it is never done.
	Unreached bool `json:"unreached,omitempty"`
	// Next are the tasks that may follow.
	Next []string `json:"next,omitempty"`
	// Items is how many items a collection has, where that is known; Tasks are the
	// tasks within, those of the first items of a collection.
	Items *int          `json:"items,omitempty"`
	Tasks []PlannedTask `json:"tasks,omitempty"`
	// Problems are why the task would fail, by what is known now.
	Problems []string `json:"problems,omitempty"`
	// Route is the task that a router would choose, where that is known.
	Route string `json:"route,omitempty"`

	// found are the problems with their places, those of tasks within included.
	found []problem
}

// PlannedAttachment is one attachment as it would be opened or fetched.
type PlannedAttachment struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
	From string `json:"from,omitempty"`
	Path string `json:"path,omitempty"`
	URL  string `json:"url,omitempty"`
	// Base is "project" where Path begins there.
	Base string `json:"base,omitempty"`
	// MIME, Bytes, Used and Tokens are known of files: Used says how the model
	// would get it. Note is what there is to say about it.
	MIME   string `json:"mimeType,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Used   string `json:"used,omitempty"`
	Tokens int64  `json:"estimatedTokens,omitempty"`
	Note   string `json:"note,omitempty"`
	// Meta are its author's own values.
	Meta map[string]any `json:"meta,omitempty"`
	// Waits is what is evaluated when the task begins, as its author wrote it.
	Waits    string   `json:"waits,omitempty"`
	WaitsFor []string `json:"waitsFor,omitempty"`
	// Refused says why it could not be used. The task fails where it is not
	// Optional.
	Refused  string `json:"refused,omitempty"`
	Optional bool   `json:"optional,omitempty"`
}

// plannedItems is how many items of a collection are planned one by one.
const plannedItems = 20

// Plan says what a run would do: every attachment that can be found now, every
// prompt that can be written. Nothing is fetched, recorded or asked of a model.
func (r *Runner) Plan(ctx context.Context, req Request) (*Plan, error) {
	w, at, err := r.begin(ctx, req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = at.Close() }() // it was only read
	plan := &Plan{
		Workflow: w.ID, Version: w.Version, File: req.File, SHA256: w.sum(),
		Project: req.Project, Folder: filepath.Dir(req.File), Input: w.input, Snapshot: w.Snapshot.Root,
	}
	p := &planner{x: r.unbegun(w, at, req)}
	s, unreached := p.x.start(), w.Unreached()
	for _, t := range w.Tasks {
		planned, err := p.task(ctx, t, place{key: t.ID}, s, p.handedBy(t))
		if err != nil {
			return nil, err
		}
		if planned.Unreached = slices.Contains(unreached, t); !planned.Unreached {
			plan.Tokens += planned.Tokens
		}
		plan.Tasks = append(plan.Tasks, planned)
	}
	return plan, nil
}

// planner goes through a workflow without doing anything of it.
type planner struct {
	x *evaluator
	// fetch has addresses fetched as well. What was fetched is kept in blobs and fetched,
	// where they are set: an address is asked once.
	fetch   bool
	blobs   Blobs
	fetched *fetched
	// evaluates has every item of a collection planned. With closed no attachment is
	// looked at.
	evaluates, closed bool
	// skims is set in the items of a collection that are not looked at one by one.
	skims bool
	// judged is how many attachments were opened or fetched. refused are those of them
	// that a task cannot begin without, failed is why others were not looked at.
	judged  int
	refused []gather.Report
	failed  []error
	// takes is what the models take that the tasks have.
	takes map[turn.Choice]turn.Capacity
	// certain counts the tasks that every run of this plan has.
	certain int
}

// handedBy are the tasks that hand a task its input: it is not known before them.
func (p *planner) handedBy(t *definition.Task) (ids []string) {
	for _, o := range p.x.w.Tasks {
		for _, next := range []definition.Next{o.OnSuccess, o.OnError} {
			if next.Task == t.ID && next.With != nil && !slices.Contains(ids, o.ID) {
				ids = append(ids, o.ID)
			}
		}
	}
	return ids
}

// task plans one task. waits are the tasks that its templates cannot do without,
// whatever they name.
func (p *planner) task(ctx context.Context, t *definition.Task, at place, s scope, waits []string) (PlannedTask, error) {
	d := PlannedTask{Key: at.key, ID: t.ID, Kind: t.Kind, Next: t.Targets()}
	w := waiting{ids: slices.Clone(waits), finished: s.finished}
	w.tree(t.With)
	if t.Agent != nil {
		w.tree(t.Agent.With)
	}
	if t.Action != nil && t.With == nil {
		w.tree(t.Action.With)
	}
	known := !w.any()
	if known {
		given, err := p.x.given(t, s, nil)
		if err != nil {
			d.problem(p.x, err)
			return d, ctx.Err()
		}
		s, d.Input = given, given.input
	}
	var err error
	switch t.Kind {
	case definition.Basic:
		err = p.basic(ctx, t, at, s, &w, &d)
	case definition.Parallel, definition.Collection, definition.Composite, definition.Repeat:
		err = p.several(ctx, t, at, s, &w, &d)
	case definition.Router:
		p.router(t, s, &w, &d)
	case definition.Tool:
		if d.Tool = t.Tool; !known {
			d.Input = t.At.Field("with").Value() // as it is written
		}
		if p.tool(ctx, t, at, s, known, len(waits) > 0, &d); p.x.asks(t) {
			d.Asks = []string{t.Tool}
		}
	case definition.Wait:
		d.add(p.unasked(t)...)
		w.template(t.Message)
		if d.Prompt = messageOf(t.Message); !w.any() && t.Message != nil {
			if d.Prompt, err = t.Message.Execute(p.x.values(s)); err != nil {
				d.problem(p.x, placed(err, t.At.Field("message"), t.Path+".message"))
				err = nil
			}
		}
	}
	if len(d.found) == 0 {
		values := p.x.values(s)
		d.add(p.leaves(t.Outputs, values, known)...)
		d.add(p.leaves(t.OnSuccess.With, values, known)...)
	}
	d.WaitsFor = w.names()
	return d, err
}

func (p *planner) basic(ctx context.Context, t *definition.Task, at place, s scope, w *waiting, d *PlannedTask) error {
	o := optionsOf(t, p.x.record.Model, p.x.record.Mode)
	d.Agent, d.Provider, d.Model, d.Tools = t.Agent.ID, p.x.choice(t).Provider, o.Model, o.Tools
	d.add(p.unpriced(t, o)...)
	d.Asks = slices.Concat(t.Agent.Rights.Allow, t.Rights.Allow)
	d.Deny = slices.Concat(t.Agent.Rights.Deny, t.Rights.Deny)
	if t.Action != nil {
		d.Action = t.Action.ID
	}
	known := !w.any()
	w.template(t.Agent.Instructions)
	w.template(t.Prompt)
	if t.Action != nil {
		w.template(t.Action.Prompt)
	}
	if showsAttachments(t) {
		for _, in := range sources(t, at) {
			for i := range in.entries {
				in.entries[i].Each(func(t *template.Template, _ *authored.Node, _ string) { w.template(t) })
			}
		}
	}
	if w.any() {
		d.Instructions, d.Prompt = t.Agent.Instructions.Text(), writtenPrompt(t)
		d.add(p.known(t, s, known)...)
	} else {
		j, err := p.x.prepare(ctx, t, at, s)
		if err != nil {
			d.problem(p.x, err)
			d.Instructions, d.Prompt = t.Agent.Instructions.Text(), writtenPrompt(t)
		} else {
			d.Instructions, d.Prompt = j.agent.Instructions, j.prompt
			d.add(p.tooLongFor(t, o, j)...)
		}
	}
	d.Tokens = textTokens(d.Instructions) + textTokens(d.Prompt)
	return p.attachments(ctx, t, at, s, known, w, d)
}

// textTokens estimates, on the high side.
func textTokens(s string) int64 { return int64(len(s))/3 + 8 }

func writtenPrompt(t *definition.Task) string {
	text := ""
	if t.Action != nil {
		text = t.Action.Prompt.Text()
	}
	if t.Prompt != nil {
		if text != "" {
			text += "\n\n"
		}
		text += t.Prompt.Text()
	}
	return text
}

// several plans the tasks that a task holds.
func (p *planner) several(ctx context.Context, t *definition.Task, at place, s scope, w *waiting, d *PlannedTask) error {
	if t.Kind == definition.Collection {
		w.tree(t.Items)
	}
	var members []member
	unknown := t.Kind == definition.Collection && w.any()
	switch {
	case unknown: // what it goes over is not known: its task is shown as written
		members = []member{{t.Each, at.below(t, t.Each.ID), s}}
	default:
		var err error
		if members, err = p.x.membersOf(t, at, s); err != nil {
			d.problem(p.x, err)
			return ctx.Err()
		}
		if t.Kind == definition.Collection {
			n := len(members)
			d.Items = &n
			if !p.evaluates {
				members = members[:min(n, plannedItems)]
			}
		}
	}
	if t.Kind == definition.Repeat {
		d.add(p.endless(t, at, s, !w.any())...)
	}
	closed, skims := p.closed, p.skims
	defer func() { p.closed, p.skims = closed, skims }()
	written := map[string]string{}
	for i, m := range members {
		waits := slices.Clone(w.ids)
		if unknown && len(waits) == 0 {
			waits = []string{t.ID}
		}
		if t.Kind == definition.Collection && i == plannedItems {
			p.closed, p.skims = true, true // the attachments and calls of the first ones tell enough
		}
		c, err := p.task(ctx, m.t, m.p, m.s, waits)
		if err != nil {
			return err
		}
		if t.Kind != definition.Composite && t.Kind != definition.Repeat && width(t, len(members)) > 1 {
			c.add(p.collides(m.t, c, written)...)
		}
		if c.found = d.adopt(c.found); i >= plannedItems && t.Kind == definition.Collection {
			continue
		}
		d.Tokens += c.Tokens
		d.Tasks = append(d.Tasks, c)
	}
	if n := len(d.Tasks); d.Items != nil && *d.Items > n && n > 0 {
		d.Tokens = d.Tokens / int64(n) * int64(*d.Items)
	}
	return nil
}
