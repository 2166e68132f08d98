package turn

import (
	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/session"
)

// plan is what one request shows the model: the history that fits and this
// turn's prompt.
type plan struct {
	earlier  []planned
	elided   int
	prompt   planned
	tokens   int64
	warnings []string
}

// planned is one exchange, or the prompt, with its attachments delivered.
type planned struct {
	exchange
	deliveries []attachment.Delivery
	parts      []attachment.Part
	delivered  []session.Delivered
	load       load
}

// load is what counts against a request's limits.
type load struct {
	bytes, tokens int64
	images, pages int
}

func (a load) plus(b load) load {
	return load{a.bytes + b.bytes, a.tokens + b.tokens, a.images + b.images, a.pages + b.pages}
}

func (a load) minus(b load) load {
	return load{a.bytes - b.bytes, a.tokens - b.tokens, a.images - b.images, a.pages - b.pages}
}

// fits reports whether a is within b; a part of b, from 0 to 1, may be asked.
func (a load) fits(b load, part float64) bool {
	return float64(a.bytes) <= float64(b.bytes)*part && float64(a.tokens) <= float64(b.tokens)*part &&
		(b.images == 0 && a.images == 0 || a.images <= b.images) && (b.pages == 0 && a.pages == 0 || a.pages <= b.pages)
}

// lowWater is how much of the room is filled again after turns had to go.
// Leaving out several at once keeps the beginning of the request the same for
// many turns, which is what prompt caches live on.
const lowWater = 0.7

// plan chooses, for the model at hand, how each attachment is delivered and how
// much of the conversation is sent. It depends on nothing but the transcript,
// the prompt and the model's limits, so that the same conversation gives the
// same bytes. The result always fits.
func (t *running) plan() (plan, error) {
	earlier := exchanges(t.lease.Entries(), t.id)
	many := manyImages(earlier, t.files, t.limits.Attachments)
	var p plan
	room := t.room()
	if err := t.planPrompt(&p, room, many); err != nil {
		return p, err
	}
	left := room.minus(p.prompt.load)
	left = left.minus(elidedLoad())
	for _, x := range earlier {
		e, err := t.deliver(x, many)
		if err != nil {
			return p, err
		}
		p.earlier = append(p.earlier, e)
	}
	p.elided = cut(p.earlier, left)
	p.earlier = p.earlier[p.elided:]
	p.tokens = p.prompt.load.tokens
	for _, e := range p.earlier {
		p.tokens += e.load.tokens
	}
	return p, nil
}

// room is what the conversation may fill.
func (t *running) room() load {
	a := t.limits.Attachments
	system := int64(0)
	for _, s := range t.system {
		system += int64(len(s))
	}
	return load{
		bytes:  a.RequestBytes - requestOverheadBytes - jsonBytes(system),
		tokens: t.inputRoom(),
		images: a.Images, pages: a.PDFPages,
	}
}

// jsonBytes bounds what n bytes of text become as a JSON string.
func jsonBytes(n int64) int64 { return 6 * n }

// cut is how many of the oldest exchanges must go. It walks the conversation as
// it grew: whenever it outgrew the room, the oldest went until it was down to
// the low-water mark.
func cut(all []planned, room load) int {
	var sum load
	first := 0
	for i, e := range all {
		sum = sum.plus(e.load)
		if sum.fits(room, 1) {
			continue
		}
		for first <= i && !sum.fits(room, lowWater) {
			sum = sum.minus(all[first].load)
			first++
		}
	}
	return first
}

func manyImages(earlier []exchange, now []attachment.Item, l attachment.Limits) bool {
	n := 0
	for _, x := range earlier {
		n += imagesIn(x.items)
	}
	return l.ManyImages > 0 && n+imagesIn(now) > l.ManyImages
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

// planPrompt delivers this turn's files. Where all of them together are more
// than the model takes, the last ones are delivered as less: a PDF as text,
// text cut short, and in the end a note.
func (t *running) planPrompt(p *plan, room load, many bool) error {
	p.prompt.exchange = exchange{message: t.req.Message, warning: t.refused, items: t.files}
	p.prompt.bytes = int64(len(t.req.Message)+len(t.refused)) + 128
	p.prompt.tokens = tokens(int(p.prompt.bytes))
	planned, err := t.deliver(p.prompt.exchange, many)
	if err != nil {
		return err
	}
	steps := lesser(t.limits.Attachments)
	for step := 0; !planned.load.fits(room, 1) && step < len(steps); step++ {
		for i := len(t.files) - 1; i >= 0 && !planned.load.fits(room, 1); i-- {
			if planned, err = t.redeliver(planned, i, steps[step], many); err != nil {
				return err
			}
		}
	}
	p.prompt = planned
	for _, d := range planned.deliveries {
		if d.Warning != "" {
			p.warnings = append(p.warnings, d.Warning)
		}
	}
	return nil
}

// lesser are stricter and stricter limits, down to nothing but notes.
func lesser(l attachment.Limits) []attachment.Limits {
	text := l
	text.PDF = false
	var steps []attachment.Limits
	for _, most := range []int64{128 << 10, 32 << 10, 4 << 10} {
		step := text
		step.TextBytes = most
		steps = append(steps, step)
	}
	return append(steps, attachment.Limits{})
}

// deliver plans every attachment of an exchange for the model.
func (t *running) deliver(x exchange, many bool) (planned, error) {
	p := planned{exchange: x, load: load{bytes: jsonBytes(x.bytes), tokens: x.tokens}}
	for _, it := range x.items {
		d, err := t.deliverItem(it, t.limits.Attachments, many)
		if err != nil {
			return p, err
		}
		p.add(it, d)
	}
	return p, nil
}

// redeliver plans the i-th attachment again, within other limits.
func (t *running) redeliver(old planned, i int, l attachment.Limits, many bool) (planned, error) {
	d, err := t.deliverItem(old.items[i], l, many)
	if err != nil {
		return old, err
	}
	p := planned{exchange: old.exchange, load: load{bytes: jsonBytes(old.bytes), tokens: old.exchange.tokens}}
	for j, it := range old.items {
		if j == i {
			p.add(it, d)
		} else {
			p.add(it, old.deliveries[j])
		}
	}
	return p, nil
}

func (p *planned) add(it attachment.Item, d attachment.Delivery) {
	p.deliveries = append(p.deliveries, d)
	p.parts = append(p.parts, d.Parts...)
	p.delivered = append(p.delivered, session.Delivered{Item: it, Used: d.Used})
	p.load = p.load.plus(load{bytes: d.WireBytes, tokens: d.Tokens, images: d.Images, pages: d.Pages})
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

// messages is the history as the provider gets it.
func (p plan) messages() []model.Message {
	out := make([]model.Message, 0, 2*len(p.earlier)+2)
	if p.elided > 0 {
		out = append(out, elided(p.elided)...)
	}
	for _, e := range p.earlier {
		prompt := model.NewPrompt(e.warning, e.message, e.parts)
		out = append(out, model.Message{Role: model.User, Content: media(prompt.Parts())})
		out = append(out, e.replies...)
	}
	return out
}

func (p plan) summary() session.History {
	h := session.History{Turns: len(p.earlier), Elided: p.elided}
	for _, e := range p.earlier {
		h.Attachments = append(h.Attachments, e.delivered...)
	}
	return h
}
