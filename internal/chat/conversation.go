package chat

import "belay/internal/render"

// item is one thing in the conversation. It draws itself in at most width
// columns per line.
type item interface {
	draw(l *render.Look, width int) []string
}

// snug items stand close to others of their kind: no line is left free between
// them.
type snug interface{ snug() }

// cell is an item and what was drawn of it last.
type cell struct {
	item  item
	width int
	lines []string
	drawn bool
}

// conversation is the conversation as a list of items of which a window is shown. Only
// the items in the window are drawn, and each of them once until it changes or
// the width does.
type conversation struct {
	look  *render.Look
	cells []*cell
	// loose is set when a person has scrolled away from the end; then first and
	// skip say which item is at the top and how many of its lines are above it.
	loose       bool
	first, skip int

	width, height int
	// whole is set while everything is shown unfolded.
	whole bool
}

// foldable items show a part of themselves until they are unfolded.
type foldable interface{ unfold(whole bool) }

// unfold shows everything whole, or folded again.
func (r *conversation) unfold(whole bool) {
	r.whole = whole
	for _, c := range r.cells {
		if f, ok := c.item.(foldable); ok {
			f.unfold(whole)
		}
	}
	r.refresh()
}

// add puts an item at the end and returns its place.
func (r *conversation) add(it item) int {
	if f, ok := it.(foldable); ok {
		f.unfold(r.whole)
	}
	r.cells = append(r.cells, &cell{item: it})
	return len(r.cells) - 1
}

// touch says that an item has changed.
func (r *conversation) touch(i int) { r.cells[i].drawn = false }

// refresh says that all may have.
func (r *conversation) refresh() {
	for _, c := range r.cells {
		c.drawn = false
	}
}

// resize sets the window.
func (r *conversation) resize(width, height int) { r.width, r.height = max(1, width), max(0, height) }

// lines are those of one item, with the free line above it.
func (r *conversation) lines(i int) []string {
	c := r.cells[i]
	if c.drawn && c.width == r.width {
		return c.lines
	}
	before, width := len(c.lines), c.width
	c.lines = c.item.draw(r.look, r.width)
	if i > 0 && len(c.lines) > 0 && !r.close(i) {
		c.lines = append([]string{""}, c.lines...)
	}
	c.drawn, c.width = true, r.width
	if i == r.first && r.loose && before > 0 && (width != r.width || len(c.lines) < before) {
		// The window stays about where it was in an item that is folded or wrapped anew.
		r.skip = min(r.skip*len(c.lines)/before, max(0, len(c.lines)-1))
	}
	return c.lines
}

// close reports whether item i stands close to the one before it.
func (r *conversation) close(i int) bool {
	_, this := r.cells[i].item.(snug)
	_, before := r.cells[i-1].item.(snug)
	return this && before
}

// view is what the window shows, at most its height.
func (r *conversation) view() []string {
	if r.loose {
		if out := r.window(); len(out) == r.height {
			return out
		}
		r.loose = false // what was below has become shorter, or the window higher
	}
	r.toEnd()
	return r.window()
}

// window are the lines from the top of the window on.
func (r *conversation) window() []string {
	var out []string
	for i := r.first; i < len(r.cells) && len(out) < r.height; i++ {
		lines := r.lines(i) // which may move the window
		if i == r.first {
			lines = lines[min(r.skip, len(lines)):]
		}
		out = append(out, lines...)
	}
	return out[:min(len(out), r.height)]
}

// toEnd puts the window so that it ends with the last line.
func (r *conversation) toEnd() {
	r.first, r.skip = len(r.cells), 0
	r.back(r.height)
}

// settle names the top of the window in one way: by an item that has lines.
func (r *conversation) settle() {
	for r.first < len(r.cells) && r.skip >= len(r.lines(r.first)) {
		r.first, r.skip = r.first+1, 0
	}
}

// back moves the window up by n lines, or to the first.
func (r *conversation) back(n int) {
	for n > 0 {
		if r.skip >= n {
			r.skip -= n
			return
		}
		n -= r.skip
		r.skip = 0
		if r.first == 0 {
			return
		}
		r.first--
		r.skip = len(r.lines(r.first))
	}
}

// scroll moves the window by n lines, up where n is negative. At the end it holds
// on to the end again.
func (r *conversation) scroll(n int) {
	r.view() // the window as it is
	if n < 0 {
		r.back(-n)
	}
	for r.settle(); n > 0 && r.first < len(r.cells); n-- {
		r.skip++
		r.settle()
	}
	first, skip := r.first, r.skip
	r.toEnd()
	r.settle()
	if r.loose = first < r.first || first == r.first && skip < r.skip; r.loose {
		r.first, r.skip = first, skip
	}
}

// top and end move the window to either end of the conversation.
func (r *conversation) top() {
	r.first, r.skip, r.loose = 0, 0, true
	r.scroll(0)
}
func (r *conversation) end() { r.loose = false }

// notify adds a notice. The same one again is counted.
func (r *conversation) notify(kind noticeKind, text string) {
	if text == "" {
		return
	}
	if i := len(r.cells) - 1; i >= 0 {
		if last, ok := r.cells[i].item.(*notice); ok && last.kind == kind && last.text == text {
			last.again++
			r.touch(i)
			return
		}
	}
	r.add(&notice{kind: kind, text: text})
}

// notifyInstead is notify for what changes with every press of a key: a notice about the
// same topic that is last is replaced.
func (r *conversation) notifyInstead(topic, text string) {
	if i := len(r.cells) - 1; i >= 0 {
		if last, ok := r.cells[i].item.(*notice); ok && last.topic == topic {
			last.text = text
			r.touch(i)
			return
		}
	}
	r.add(&notice{kind: noticeInfo, text: text, topic: topic})
}
