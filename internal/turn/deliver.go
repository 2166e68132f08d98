package turn

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
	// shown are the parts of tool results, by call.
	shown map[string][]attachment.Part
	load  load
}

// planPrompt delivers this turn's files. Where all of them together are more
// than there is room for, the last ones are delivered as less: a PDF as text,
// text cut short, and in the end a note. What was once delivered as less stays
// so for the rest of the turn.
func (t *running) planPrompt(p *plan, room load) error {
	x := exchange{message: t.req.Message, warning: t.refused, items: t.files}
	size := int64(len(x.message)+len(x.warning)) + 128
	x.load = load{bytes: jsonBytes(size), tokens: tokens(int(size))}
	var d delivery
	var err error
	if t.planned != nil && t.planned.many == p.many {
		d = gather(&x, slices.Clone(t.planned.prompt.each))
	} else if d, err = t.deliver(&x, t.limits.Attachments, p.many); err != nil {
		return err
	}
	if err := t.lessen(x.items, d.each, room.minus(x.load), p.many); err != nil {
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

// lessen delivers files as less and less, the last ones first, until they fit or
// nothing is left of them but notes.
func (t *running) lessen(items []attachment.Item, each []attachment.Delivery, room load, many bool) (err error) {
	for step := 0; step <= len(lesserText) && !filesLoad(each).fits(room); step++ {
		for i := len(items) - 1; i >= 0 && !filesLoad(each).fits(room); i-- {
			if step == len(lesserText) {
				each[i] = attachment.Note(items[i], "there is no room for it beside everything else")
			} else if each[i], err = t.deliverItem(items[i], textUpTo(t.limits.Attachments, lesserText[step]), many); err != nil {
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
func (t *running) deliver(x *exchange, l attachment.Limits, many bool) (delivery, error) {
	each := make([]attachment.Delivery, len(x.items))
	for i, it := range x.items {
		var err error
		if each[i], err = t.deliverItem(it, l, many); err != nil {
			return delivery{}, err
		}
	}
	d := gather(x, each)
	return d, t.deliverShown(x, &d, l, many)
}

// deliverShown plans the files that tools showed in an exchange.
func (t *running) deliverShown(x *exchange, d *delivery, l attachment.Limits, many bool) error {
	for _, s := range x.shown {
		for _, it := range s.items {
			one, err := t.deliverItem(it, l, many)
			if err != nil {
				return err
			}
			if d.shown == nil {
				d.shown = map[string][]attachment.Part{}
			}
			d.shown[s.call] = append(d.shown[s.call], one.Parts...)
			d.items = append(d.items, session.Delivered{Item: it, Used: one.Used})
			d.load = d.load.plus(load{bytes: one.WireBytes, tokens: one.Tokens, images: one.Images, pages: one.Pages})
		}
	}
	return nil
}

// gather adds up what the attachments of an exchange became.
func gather(x *exchange, each []attachment.Delivery) delivery {
	d := delivery{each: each, load: x.load.plus(filesLoad(each))}
	for i, e := range each {
		d.parts = append(d.parts, e.Parts...)
		d.items = append(d.items, session.Delivered{Item: x.items[i], Used: e.Used})
	}
	return d
}

// deliverItem plans one attachment. A file whose bytes are gone from the store
// is a note: a conversation must not become unsendable because somebody tidied
// up.
func (t *running) deliverItem(it attachment.Item, l attachment.Limits, many bool) (attachment.Delivery, error) {
	content, err := t.blobs.Content(it.SHA256)
	if notStored(err) {
		return attachment.Note(it, "its bytes are no longer in the project's store"), nil
	}
	if err != nil {
		return attachment.Delivery{}, err
	}
	return t.l.o.Planner.Plan(t.ctx, it, content, l, many)
}

// filesLoad is the weight of files.
func filesLoad(files []attachment.Delivery) (sum load) {
	for _, d := range files {
		sum = sum.plus(load{bytes: d.WireBytes, tokens: d.Tokens, images: d.Images, pages: d.Pages})
	}
	return sum
}

// manyImages reports whether a request with all of these files would have so many
// images that the model takes only smaller ones.
func (t *running) manyImages(earlier *memory) bool {
	n := imagesIn(t.files)
	if earlier.mixed { // otherwise it has no files
		for i := range earlier.exchanges {
			x := &earlier.exchanges[i]
			n += imagesIn(x.items)
			for _, s := range x.shown {
				n += imagesIn(s.items)
			}
		}
	}
	for _, r := range t.rounds {
		n += imagesIn(r.items())
	}
	most := t.limits.Attachments.ManyImages
	return most > 0 && n > most
}

func imagesIn(items []attachment.Item) int {
	n := 0
	for _, it := range items {
		if it.Kind == attachment.KindImage {
			n++
		}
	}
	return n
}

// withShown returns replies with the files that tools showed in their results.
func withShown(replies []model.Message, shown map[string][]attachment.Part) []model.Message {
	if len(shown) == 0 {
		return replies
	}
	out := make([]model.Message, len(replies))
	for i, m := range replies {
		out[i] = m
		if m.Role != model.User {
			continue
		}
		out[i].Content = make([]model.Content, len(m.Content))
		for k, c := range m.Content {
			if o, ok := c.(model.ToolOutput); ok {
				o.Parts = append(o.Parts[:len(o.Parts):len(o.Parts)], shown[o.CallID]...)
				c = o
			}
			out[i].Content[k] = c
		}
	}
	return out
}
