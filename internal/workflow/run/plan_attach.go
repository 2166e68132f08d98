package run

import (
	"context"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
	"belay/internal/attachment/gather"
	"belay/internal/authored"
	"belay/internal/fault"
	"belay/internal/template"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// allTasks stands for the tasks that a template looks at without naming them.
const allTasks = "*"

// waiting gathers the tasks that templates look at: none is done yet.
type waiting struct {
	ids []string
	// finished says which tasks' results are there; nil is none.
	finished func(id string) bool
}

func (w *waiting) add(ids ...string) {
	for _, id := range ids {
		if !slices.Contains(w.ids, id) && (w.finished == nil || !w.finished(id)) {
			w.ids = append(w.ids, id)
		}
	}
}

func (w *waiting) template(t *template.Template) {
	if t == nil {
		return
	}
	n := t.Needs()
	if w.add(n.Tasks()...); n.All() {
		w.add(allTasks)
	}
}

func (w *waiting) tree(t *template.Tree) {
	t.Each(func(t *template.Template, _ *authored.Node, _ string) { w.template(t) })
}

func (w *waiting) any() bool { return len(w.ids) > 0 }

func (w *waiting) names() []string { return slices.Sorted(slices.Values(w.ids)) }

// attachments plans what a task's model would be shown. What is not known yet keeps
// its place among the rest.
func (p *planner) attachments(ctx context.Context, t *definition.Task, at place, s scope, known bool, w *waiting, d *PlannedTask) error {
	lists := sources(t, at)
	if !known {
		for _, in := range lists {
			for i := range in.entries {
				e := &in.entries[i]
				for _, text := range e.Written() {
					d.Attachments = append(d.Attachments, PlannedAttachment{Type: e.Kind(), From: string(in.scope) + ", " + e.Path, Waits: shown(text)})
				}
			}
		}
		return nil
	}
	if p.closed {
		return nil
	}
	e := declared.Expander{Folder: p.x.at.folder, Project: p.x.w.Project, MaxItems: p.x.o.Limits.Attachments}
	values := p.x.values(s)
	var found [][]*declared.Attachment
	var later []slot
	for _, in := range lists {
		steps, err := e.Expand(ctx, in.entries, in.scope, values, s.finished)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			d.problem(p.x, in.placed(err))
		}
		found = append(found, nil)
		list := &found[len(found)-1]
		for _, step := range steps {
			if step.Attachment != nil {
				*list = append(*list, in.named(p.x.w.name, []*declared.Attachment{step.Attachment})...)
				continue
			}
			l := PlannedAttachment{Type: step.Waiting.Kind(), From: string(in.scope), Waits: step.Waiting.Text(), WaitsFor: slices.Clone(step.Waiting.Needs)}
			if step.Waiting.All {
				l.WaitsFor = append(l.WaitsFor, allTasks)
			}
			w.add(l.WaitsFor...)
			later = append(later, slot{len(p.x.at.folder.Merge(found...)), l})
		}
	}
	all := p.x.at.folder.Merge(found...)
	p.x.settle(t, all)
	if err := p.x.tooManyOf(t, all); err != nil {
		d.problem(p.x, err)
		return nil
	}
	return p.weigh(ctx, p.x.choice(t), all, later, d)
}

// slot is an attachment that is not known yet: it stands after the first ones of
// those that are.
type slot struct {
	after int
	PlannedAttachment
}

// weigh opens the files and notes how the model would get each.
func (p *planner) weigh(ctx context.Context, c turn.Choice, list []*declared.Attachment, later []slot, d *PlannedTask) error {
	delivered, err := p.x.deliverable(c, list)
	if err != nil {
		return err
	}
	var files []*declared.Attachment
	at := map[int]int{} // of files in d.Attachments
	whole := len(later) == 0
	for i, a := range list {
		for len(later) > 0 && later[0].after <= i {
			d.Attachments, later = append(d.Attachments, later[0].PlannedAttachment), later[1:]
		}
		planned := PlannedAttachment{Type: string(a.Type), Name: a.Name, From: a.From, Path: a.Source.Path, Base: a.Source.Base(), Meta: a.Meta, Optional: a.Optional}
		if a.Source.URL != "" {
			planned.URL = download.Clean(a.Source.URL)
			if slices.Contains(delivered.fetched, i) {
				planned.Note = fetchedInstead
			}
		}
		if a.Source.URL == "" || p.fetch {
			at[len(files)] = len(d.Attachments)
			files = append(files, delivered.list[i])
		}
		d.Attachments = append(d.Attachments, planned)
	}
	for _, l := range later {
		d.Attachments = append(d.Attachments, l.PlannedAttachment)
	}
	if len(files) == 0 || p.x.o.Inspect == nil && p.fetched == nil {
		return nil
	}
	var g gather.Result
	var inspected []turn.Inspection
	open := func(b attachment.BlobStore) (_ []attachment.Item, err error) {
		g, err = p.x.o.Gather.Gather(ctx, p.x.at.folder, files, b)
		return g.Items, err
	}
	if p.fetched != nil {
		_, err = open(p.blobs)
	} else {
		inspected, err = p.x.o.Inspect(ctx, c, open)
	}
	reports := g.Reports
	if err != nil && !fault.Is(err, fault.AttachmentFailure) {
		return err
	}
	if err != nil && len(reports) == 0 {
		d.problem(p.x, err) // else each attachment says what is wrong with it
		p.failed = append(p.failed, err)
	}
	p.judged += len(reports)
	for _, r := range reports {
		if r.Refused != "" && !r.Optional {
			p.refused = append(p.refused, r)
		}
	}
	if err == nil && p.fetched != nil && whole && len(files) == len(list) {
		delivered.note(g.Reports)
		p.fetched.keep(d.Key, list, g)
	}
	for i, r := range reports {
		a := &d.Attachments[at[i]]
		a.Name, a.MIME, a.Bytes, a.Refused = r.Name, r.MIME, r.Bytes, r.Refused
		if r.Refused != "" || len(inspected) == 0 {
			continue
		}
		a.Used, a.Tokens = inspected[0].Used, inspected[0].Tokens
		if note := strings.TrimPrefix(inspected[0].Note, a.Name+": "); note != "" {
			a.Note = note // else that of what is fetched instead stays
		}
		inspected = inspected[1:]
		d.Tokens += a.Tokens
	}
	return nil
}

// shown is a source as its author wrote it, without what an address hides.
func shown(text string) string {
	if strings.Contains(text, "://") && !strings.Contains(text, "{{") {
		return download.Clean(text)
	}
	return text
}
