package conversation

import (
	"math"
	"slices"
	"strings"
)

// leastText is what every text of the last model call keeps, in bytes, however small
// the budget is: with less a result says nothing.
const leastText = 256

// fitLast makes the last model call fit into the budget as well as it can be done:
// its files are delivered as less, where they take more than half of it, and the
// longest of its texts are cut. The transcript has all of them. Some of the budget
// stays free, so that the call is not left out as soon as the next follows.
func (w *Window) fitLast(r *ModelCall, budget cost) error {
	if r.cost.fits(budget) {
		return nil
	}
	budget = budget.part(lowWater).minus(r.answerCost)
	texts := r.texts()
	if err := w.degrade(r.items(), r.files, budget.minus(r.weigh(texts).upTo(budget.part(0.5))), r.many); err != nil {
		return err
	}
	budget = budget.minus(filesCost(r.files))
	sizes := make([]int, len(texts))
	for i, text := range texts {
		sizes[i] = len(text)
	}
	// What weighs beside each text: its entry, and the note where it is cut.
	beside := entryBytes + int(Tokens(0))*bytesPerToken + len(cutNote(math.MaxInt, strings.Repeat(" ", w.files.NoteBytes())))
	total := int(min(budget.tokens*bytesPerToken, budget.bytes/jsonBytes(1))) - beside*len(texts)
	r.most = max(share(sizes, max(total, 0)), leastText)
	w.keepCut(r)
	r.build()
	return nil
}

// share is the most bytes that each of some texts may have so that they fit into
// total together: short ones are left alone.
func share(sizes []int, total int) int {
	sizes = slices.Sorted(slices.Values(sizes))
	for i, n := range sizes {
		if each := total / (len(sizes) - i); n > each {
			return max(each, 0)
		}
		total -= n
	}
	return math.MaxInt
}

// keepCut notes of each result that is cut how the model can see all of it.
func (w *Window) keepCut(r *ModelCall) {
	r.whole = make([]string, len(r.results))
	for i, b := range r.results {
		if len(b.Text) > r.most {
			r.whole[i] = w.files.Keep(b.Name, b.Text)
			w.cut = append(w.cut, b)
		}
	}
}
