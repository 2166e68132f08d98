package turn

import (
	"strings"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/session"
)

// plan is what one request shows the model: the history that fits and this
// turn's prompt.
type plan struct {
	earlier []exchange
	whole   []model.Message     // the history, where it needs no planning
	files   map[string]delivery // of earlier turns with attachments, by turn
	elided  int
	// leftOut are those of the elided turns that summary does not cover.
	leftOut  []exchange
	summary  summary
	prompt   delivery
	tokens   int64
	warnings []string
	// many is set where there are so many images that each must be smaller.
	many bool
}

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
	m := t.remember()
	earlier := m.exchanges
	many := manyImages(earlier, t.files, t.limits.Attachments)
	p := plan{files: map[string]delivery{}, many: many}
	room := t.room()
	if err := t.planPrompt(&p, room, many); err != nil {
		return p, err
	}
	for i := range earlier {
		x := &earlier[i]
		if !x.hasFiles() {
			continue
		}
		d, err := t.deliver(x, t.limits.Attachments, many)
		if err != nil {
			return p, err
		}
		p.files[x.turn] = d
	}
	p.summary = m.summary
	if t.fresh.text != "" {
		p.summary = t.fresh
	}
	covered := p.summary.covered(earlier)
	// A first summary needs room, too: what it stands for must not change with it.
	reserve := summaryLoad(p.summary.text)
	if most := summaryTokens(room); most*bytesPerToken > int64(len(p.summary.text)) {
		reserve = summaryLoad(strings.Repeat(" ", int(most*bytesPerToken)))
	}
	p.elided = covered + p.cut(earlier[covered:], room.minus(p.prompt.load).minus(reserve))
	p.leftOut, p.earlier = earlier[covered:p.elided], earlier[p.elided:]
	if p.elided == 0 && !m.mixed {
		p.whole = m.flat[:len(m.flat):len(m.flat)]
	}
	p.tokens = p.prompt.load.tokens
	for i := range p.earlier {
		p.tokens += p.load(&p.earlier[i]).tokens
	}
	if p.elided > 0 {
		p.tokens += summaryLoad(p.summary.text).tokens
	}
	return p, nil
}

// load is what an earlier exchange adds to the request.
func (p *plan) load(x *exchange) load {
	if x.hasFiles() {
		return p.files[x.turn].load
	}
	return x.load
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
func (p *plan) cut(all []exchange, room load) int {
	var sum load
	first := 0
	for i := range all {
		sum = sum.plus(p.load(&all[i]))
		if sum.fits(room, 1) {
			continue
		}
		for first <= i && !sum.fits(room, lowWater) {
			sum = sum.minus(p.load(&all[first]))
			first++
		}
	}
	return first
}

func manyImages(earlier []exchange, now []attachment.Item, l attachment.Limits) bool {
	n := 0
	for i := range earlier {
		n += imagesIn(earlier[i].items)
		for _, s := range earlier[i].shown {
			n += imagesIn(s.items)
		}
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
	x := exchange{message: t.req.Message, warning: t.refused, items: t.files}
	size := int64(len(x.message)+len(x.warning)) + 128
	x.load = load{bytes: jsonBytes(size), tokens: tokens(int(size))}
	d, err := t.deliver(&x, t.limits.Attachments, many)
	if err != nil {
		return err
	}
	for step := 0; step < len(lesser) && !d.load.fits(room, 1); step++ {
		limits := lesser[step](t.limits.Attachments)
		for i := len(x.items) - 1; i >= 0 && !d.load.fits(room, 1); i-- {
			if d.each[i], err = t.deliverItem(x.items[i], limits, many); err != nil {
				return err
			}
			d = gather(&x, d.each)
		}
	}
	p.prompt = d
	for _, e := range d.each {
		if e.Warning != "" {
			p.warnings = append(p.warnings, e.Warning)
		}
	}
	return nil
}

// lesser makes limits stricter and stricter, down to nothing but notes.
var lesser = []func(attachment.Limits) attachment.Limits{
	textUpTo(128 << 10), textUpTo(32 << 10), textUpTo(4 << 10),
	func(attachment.Limits) attachment.Limits { return attachment.Limits{} },
}

func textUpTo(most int64) func(attachment.Limits) attachment.Limits {
	return func(l attachment.Limits) attachment.Limits {
		l.PDF, l.TextBytes = false, most
		return l
	}
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
	d := delivery{each: each, load: x.load}
	for i, e := range each {
		d.parts = append(d.parts, e.Parts...)
		d.items = append(d.items, session.Delivered{Item: x.items[i], Used: e.Used})
		d.load = d.load.plus(load{bytes: e.WireBytes, tokens: e.Tokens, images: e.Images, pages: e.Pages})
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

// messages is the history as the provider gets it, not to be changed.
func (p *plan) messages() []model.Message {
	if p.whole != nil {
		return p.whole
	}
	out := make([]model.Message, 0, 2*len(p.earlier)+2)
	if p.elided > 0 {
		out = append(out, elided(p.elided, p.summary.text)...)
	}
	for i := range p.earlier {
		x := &p.earlier[i]
		asked, replies := x.asked, x.replies
		if x.hasFiles() {
			replies = withShown(replies, p.files[x.turn].shown)
			asked = media(model.NewPrompt(x.warning, x.message, p.files[x.turn].parts).Parts())
		}
		out = append(out, model.Message{Role: model.User, Content: asked})
		out = append(out, replies...)
	}
	return out
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

func (p *plan) history() session.History {
	h := session.History{Turns: len(p.earlier), Elided: p.elided}
	for i := range p.earlier {
		if x := &p.earlier[i]; x.hasFiles() {
			h.Attachments = append(h.Attachments, p.files[x.turn].items...)
		}
	}
	return h
}
