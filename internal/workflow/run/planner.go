package run

import (
	"context"
	"slices"

	"belay/internal/attachment/gather"
	"belay/internal/authored"
	"belay/internal/template"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

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
	// answered says which wait tasks nobody has to answer any more; nil is none.
	answered func(key, message string) bool
	// certain counts the tasks that every run of this plan has.
	certain int
	// shown counts the tasks within others that the plan has, and the bytes of its texts.
	shown, text int
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
	if ctx.Err() != nil {
		return d, context.Cause(ctx)
	}
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
		w.template(t.Message)
		if d.Prompt = messageOf(t.Message); !w.any() && t.Message != nil {
			if d.Prompt, err = t.Message.Execute(p.x.values(s)); err != nil {
				d.problem(p.x, placed(err, t.At.Field("message"), t.Path+".message"))
				err = nil
			}
		}
		d.add(p.unasked(t, at, d.Prompt)...)
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
	p.text += len(d.Instructions) + len(d.Prompt)
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

// room is how many items of a collection are shown: one, where the plan is long already.
func (p *planner) room() int {
	if p.shown >= plannedTasks || p.text >= plannedText {
		return 1
	}
	return plannedItems
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
		// Before anything of them is planned: there may be thousands within each.
		if err = p.x.afford(ctx, t, at, members); err != nil {
			d.problem(p.x, err)
			return ctx.Err()
		}
		if t.Kind == definition.Collection {
			n := len(members)
			d.Items = &n
			if !p.evaluates {
				members = members[:min(n, p.room())]
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
		switch {
		case t.Kind != definition.Composite && t.Kind != definition.Repeat && width(t, len(members)) > 1:
			c.add(p.collides(m.t, c, written)...)
		case changesFiles(m.t):
			p.closed = true // those that follow may be shown what it makes
		}
		if t.Strategy == definition.Race {
			c.found = attendedElsewhere(c.found)
		}
		if c.found = d.adopt(c.found); i >= plannedItems && t.Kind == definition.Collection {
			continue
		}
		if p.shown++; p.evaluates {
			c.Instructions, c.Prompt = "", "" // only what is wrong is wanted
		}
		d.Tokens += c.Tokens
		d.Tasks = append(d.Tasks, c)
	}
	if n := len(d.Tasks); d.Items != nil && *d.Items > n && n > 0 {
		d.Tokens = d.Tokens / int64(n) * int64(*d.Items)
	}
	return nil
}
