package conversation

import (
	"slices"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/session"
)

// delivery is a set of attachments as the model gets them, with the words that
// they came with counted in.
type delivery struct {
	each  []attachment.Delivery
	items []session.Delivered
	parts []attachment.Part
	// shown are the parts of tool results.
	shown map[place][]attachment.Part
	cost  cost
}

// planPrompt delivers this turn's files. Where all of them together are more
// than the budget, the last ones are delivered as less: a PDF as text,
// text cut short, and in the end a note. What was once delivered as less stays
// so for the rest of the turn.
func (w *Window) planPrompt(p *plan, budget cost) error {
	x := exchange{message: w.prompt.Message, warning: w.prompt.Warning, items: w.prompt.Items}
	size := int64(len(x.message)+len(x.warning)) + 128
	x.cost = cost{bytes: jsonBytes(size), tokens: Tokens(int(size))}
	var d delivery
	var err error
	if w.planned != nil && w.planned.many == p.many {
		d = gather(&x, slices.Clone(w.planned.prompt.each))
	} else if d, err = w.deliver(&x, p.many); err != nil {
		return err
	}
	if err := w.degrade(x.items, d.each, budget.minus(x.cost), p.many); err != nil {
		return err
	}
	p.prompt = gather(&x, d.each)
	for _, e := range d.each {
		if e.Warning != "" {
			p.warnings = append(p.warnings, e.Warning)
		}
	}
	return nil
}

// degrade delivers files as less and less, the last ones first, until they fit or
// nothing is left of them but notes.
func (w *Window) degrade(items []attachment.Item, each []attachment.Delivery, budget cost, many bool) (err error) {
	for step := 0; step <= len(lesserText) && !filesCost(each).fits(budget); step++ {
		for i := len(items) - 1; i >= 0 && !filesCost(each).fits(budget); i-- {
			if step == len(lesserText) {
				each[i] = attachment.Note(items[i], "there is no room for it beside everything else")
			} else if each[i], err = w.files.Deliver(items[i], textUpTo(w.prefix.Limits.Attachments, lesserText[step]), many); err != nil {
				return err
			}
		}
	}
	return nil
}

// lesserText are the sizes in bytes to which a file's text is cut, one after the
// other.
var lesserText = []int64{128 << 10, 32 << 10, 4 << 10}

// textUpTo are limits under which a PDF is text and text is no longer than that.
func textUpTo(l attachment.Limits, most int64) attachment.Limits {
	if l.PDF = false; l.TextBytes <= 0 || l.TextBytes > most {
		l.TextBytes = most
	}
	return l
}

// deliver plans every attachment of an exchange for the model.
func (w *Window) deliver(x *exchange, many bool) (delivery, error) {
	each := make([]attachment.Delivery, len(x.items))
	for i, it := range x.items {
		var err error
		if each[i], err = w.files.Deliver(it, w.prefix.Limits.Attachments, many); err != nil {
			return delivery{}, err
		}
	}
	d := gather(x, each)
	return d, w.deliverShown(x, &d, many)
}

// deliverShown plans the files that tools showed in an exchange.
func (w *Window) deliverShown(x *exchange, d *delivery, many bool) error {
	for _, s := range x.shown {
		for _, it := range s.items {
			one, err := w.files.Deliver(it, w.prefix.Limits.Attachments, many)
			if err != nil {
				return err
			}
			if d.shown == nil {
				d.shown = map[place][]attachment.Part{}
			}
			d.shown[s.at] = append(d.shown[s.at], one.Parts...)
			d.items = append(d.items, session.Delivered{Item: it, Used: one.Used, Note: one.Warning})
			d.cost = d.cost.plus(cost{bytes: one.WireBytes, tokens: one.Tokens, images: one.Images, pages: one.Pages})
		}
	}
	return nil
}

// gather adds up what the attachments of an exchange became.
func gather(x *exchange, each []attachment.Delivery) delivery {
	d := delivery{each: each, cost: x.cost.plus(filesCost(each))}
	for i, e := range each {
		d.parts = append(d.parts, e.Parts...)
		d.items = append(d.items, session.Delivered{Item: x.items[i], Used: e.Used, Note: e.Warning})
	}
	return d
}

// filesCost is the cost of files.
func filesCost(files []attachment.Delivery) (sum cost) {
	for _, d := range files {
		sum = sum.plus(cost{bytes: d.WireBytes, tokens: d.Tokens, images: d.Images, pages: d.Pages})
	}
	return sum
}

// manyImages reports whether a request with all of these files would have so many
// images that the model takes only smaller ones.
func (w *Window) manyImages(earlier *History) bool {
	n := Images(w.prompt.Items)
	if earlier.mixed { // otherwise it has no files
		for i := range earlier.exchanges {
			x := &earlier.exchanges[i]
			n += Images(x.items)
			for _, s := range x.shown {
				n += Images(s.items)
			}
		}
	}
	for _, r := range w.calls {
		n += Images(r.items())
	}
	most := w.prefix.Limits.Attachments.ManyImages
	return most > 0 && n > most
}

// Images counts those among items.
func Images(items []attachment.Item) int {
	n := 0
	for _, it := range items {
		if it.Kind == attachment.KindImage {
			n++
		}
	}
	return n
}

// withShown returns replies with the files that tools showed in their results.
func withShown(replies []model.Message, shown map[place][]attachment.Part) []model.Message {
	out := slices.Clone(replies)
	for at, parts := range shown {
		m := &out[at.message]
		m.Content = slices.Clone(m.Content)
		o := m.Content[at.content].(model.ToolOutput)
		o.Parts = append(o.Parts[:len(o.Parts):len(o.Parts)], parts...)
		m.Content[at.content] = o
	}
	return out
}
