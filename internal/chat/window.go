package chat

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// settleAfter is how long after a change of its size a terminal is looked at again.
const settleAfter = 400 * time.Millisecond

type settled struct{}

// resized takes a size. While a window is being dragged, a terminal may report a
// size before or after it has moved what it shows, and two reports may overtake each
// other. So a new size is asked for once more when things are quiet, which also draws
// everything anew; the same size again ends that.
func (m *Model) resized(width, height int) tea.Cmd {
	same := width == m.width && height == m.height
	m.width, m.height = width, height
	m.editor.resize(width)
	if same {
		return nil
	}
	return m.follower.timer(settleAfter, settled{})
}

// sizeOf asks a terminal for its size; one that does not tell still has the size known.
// [tea.RequestWindowSize] does not serve: it looks beside the look that a signal
// brings about, and both write to the same place.
func sizeOf(output io.Writer, known tea.WindowSizeMsg) tea.Cmd {
	return func() tea.Msg {
		f, ok := output.(interface{ Fd() uintptr })
		if !ok {
			return known
		}
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return known
		}
		return tea.WindowSizeMsg{Width: width, Height: height}
	}
}
