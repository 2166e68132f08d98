package chat

import "belay/internal/render"

// prose is a block of what the model said.
type prose struct {
	text string
	// open is set while more may come; long texts are then shown as they are.
	open bool
}

// openBytes is up to which length a block is set again with every piece of it.
const openBytes = 4 << 10

func (p *prose) draw(l *render.Look, width int) []string {
	if p.open && len(p.text) > openBytes {
		return l.Fold(render.Clean(p.text), width)
	}
	return render.Markdown(l, p.text, width)
}
