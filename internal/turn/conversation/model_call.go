package conversation

import (
	"math"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/session"
)

// ModelCall is one answer of the running turn and what the model got after it:
// the results of its calls, then what people said. The next request repeats both
// halves, the answer unchanged, because the signature of reasoning covers it.
type ModelCall struct {
	answer  model.Message
	results []Result
	inputs  []session.Input
	// answerCost is what the answer adds to a request.
	answerCost cost

	// files are those of the results, then those that people sent, as the model
	// gets them; many is whether they were planned for a request of many images.
	files []attachment.Delivery
	many  bool
	// most cuts each text, the words of results and of people, to so many bytes;
	// whole says of a result that is cut where all of it is.
	most  int
	whole []string

	// sent is the second half as it is sent, cost what both halves add.
	sent []model.Content
	cost cost
}

// Result is the result of one tool call.
type Result struct {
	session.Block
	// Read are the project files that the call read.
	Read []string
}

// NewModelCall returns a model call that gave that answer; results have one entry for
// each tool call of the answer, in their order.
func NewModelCall(a *Answer, results []Result, inputs []session.Input) *ModelCall {
	r := &ModelCall{results: results, inputs: inputs, answer: a.message(), most: math.MaxInt}
	if len(r.answer.Content) == 0 {
		r.answer.Content = []model.Content{model.Text{Text: noAnswer}}
	}
	size := a.size()
	r.answerCost = cost{bytes: jsonBytes(int64(size)), tokens: Tokens(size)}
	return r
}

// items are the files of the call, those of results first.
func (r *ModelCall) items() []attachment.Item {
	var all []attachment.Item
	for _, b := range r.results {
		all = append(all, b.Items...)
	}
	for _, in := range r.inputs {
		all = append(all, in.Items...)
	}
	return all
}

// texts are the words of the results, then those of people.
func (r *ModelCall) texts() []string {
	all := make([]string, 0, len(r.results)+len(r.inputs))
	for _, b := range r.results {
		all = append(all, b.Text)
	}
	for i, in := range r.inputs {
		text := session.Spoken(in.Message, nil)
		if i == len(r.inputs)-1 {
			text = session.Spoken(in.Message, session.BlockOf(r.inputs))
		}
		all = append(all, spoken(text))
	}
	return all
}

// render plans the model call for the model. Planning again gives the same, unless
// there are so many images by now that each must be smaller.
func (w *Window) render(r *ModelCall, many bool) error {
	if r.sent != nil && r.many == many {
		return nil
	}
	items := r.items()
	r.many, r.files = many, make([]attachment.Delivery, len(items))
	for i, it := range items {
		var err error
		if r.files[i], err = w.files.Deliver(it, w.prefix.Limits.Attachments, many); err != nil {
			return err
		}
	}
	r.build()
	return nil
}

// build makes what is sent of the call, and weighs it.
func (r *ModelCall) build() {
	r.sent, r.cost = make([]model.Content, 0, len(r.results)+len(r.inputs)), r.answerCost
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
		r.sent = append(r.sent, o)
	}
	for i, in := range r.inputs {
		prompt := model.NewPrompt(in.Warning, texts[len(r.results)+i], take(len(in.Items)))
		r.sent = append(r.sent, media(prompt.Parts())...)
	}
	r.cost = r.cost.plus(r.weigh(texts)).plus(filesCost(r.files))
}

// weigh is what the call's texts add to a request.
func (r *ModelCall) weigh(texts []string) (sum cost) {
	for i, text := range texts {
		size := len(text) + entryBytes
		if k := i - len(r.results); k >= 0 {
			size += len(r.inputs[k].Warning)
		}
		sum = sum.plus(cost{bytes: jsonBytes(int64(size)), tokens: Tokens(size)})
	}
	return sum
}

// entryBytes bounds what a request holds beside each text, in bytes.
const entryBytes = 64

// cut is the call's i-th text as it is sent.
func (r *ModelCall) cut(i int, text string) string {
	if len(text) <= r.most {
		return text
	}
	where := ""
	if i < len(r.whole) {
		where = r.whole[i]
	}
	return middleOut(text, r.most) + cutNote(len(text), where)
}
