package turn

import (
	"math"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/session"
)

// round is one answer of the running turn and what the model was told after it:
// the results of its calls, then what people said. The next request repeats both
// halves, the answer unchanged, because the signature of reasoning covers it.
type round struct {
	answer  model.Message
	results []result
	heard   []session.Input
	// said is what the answer adds to a request.
	said load

	// files are those of the results, then those that people sent, as the model
	// gets them; many is whether they were planned for a request of many images.
	files []attachment.Delivery
	many  bool
	// most cuts each text, the words of results and of people, to so many bytes;
	// whole says of a result that is cut where all of it is.
	most  int
	whole []string

	// told is the second half as it is sent, load what both halves add.
	told []model.Content
	load load
}

// result is the result of one call.
type result struct {
	session.Block
	// looked are the files that the call read, as [tool.Seen] knows them.
	looked []string
}

// newRound is a round that nothing has followed yet.
func newRound(a *answer) *round {
	r := &round{answer: a.message(), most: math.MaxInt}
	if len(r.answer.Content) == 0 {
		r.answer.Content = []model.Content{model.Text{Text: noAnswer}}
	}
	size := a.size()
	r.said = load{bytes: jsonBytes(int64(size)), tokens: tokens(size)}
	return r
}

// items are the files of the round, those of results first.
func (r *round) items() []attachment.Item {
	var all []attachment.Item
	for _, b := range r.results {
		all = append(all, b.Items...)
	}
	for _, in := range r.heard {
		all = append(all, in.Items...)
	}
	return all
}

// texts are the words of the results, then those of people.
func (r *round) texts() []string {
	all := make([]string, 0, len(r.results)+len(r.heard))
	for _, b := range r.results {
		all = append(all, b.Text)
	}
	for _, in := range r.heard {
		all = append(all, spoken(in.Message))
	}
	return all
}

// render plans the round for the model. Planning again gives the same, unless
// there are so many images by now that each must be smaller.
func (t *running) render(r *round, many bool) error {
	if r.told != nil && r.many == many {
		return nil
	}
	items := r.items()
	r.many, r.files = many, make([]attachment.Delivery, len(items))
	for i, it := range items {
		var err error
		if r.files[i], err = t.deliverItem(it, t.limits.Attachments, many); err != nil {
			return err
		}
	}
	r.build()
	return nil
}

// build makes what is sent of the round, and weighs it.
func (r *round) build() {
	r.told, r.load = make([]model.Content, 0, len(r.results)+len(r.heard)), r.said
	files := r.files
	take := func(n int) (parts []attachment.Part) {
		for _, d := range files[:n] {
			parts = append(parts, d.Parts...)
		}
		files = files[n:]
		return parts
	}
	texts := r.texts()
	for i := range texts {
		texts[i] = r.cut(i, texts[i])
	}
	for i, b := range r.results {
		b.Text = texts[i]
		o := toolOutput(b.Block)
		o.Parts = append(o.Parts, take(len(b.Items))...)
		r.told = append(r.told, o)
	}
	for i, in := range r.heard {
		prompt := model.NewPrompt(in.Warning, texts[len(r.results)+i], take(len(in.Items)))
		r.told = append(r.told, media(prompt.Parts())...)
	}
	r.load = r.load.plus(r.weigh(texts)).plus(filesLoad(r.files))
}

// weigh is what the round's texts add to a request.
func (r *round) weigh(texts []string) (sum load) {
	for i, text := range texts {
		size := len(text) + entryBytes
		if k := i - len(r.results); k >= 0 {
			size += len(r.heard[k].Warning)
		}
		sum = sum.plus(load{bytes: jsonBytes(int64(size)), tokens: tokens(size)})
	}
	return sum
}

// entryBytes bounds what a request holds beside each text, in bytes.
const entryBytes = 64

// cut is the round's i-th text as it is sent.
func (r *round) cut(i int, text string) string {
	if len(text) <= r.most {
		return text
	}
	where := ""
	if i < len(r.whole) {
		where = r.whole[i]
	}
	return middleOut(text, r.most) + cutNote(len(text), where)
}
