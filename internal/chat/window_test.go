package chat

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A window that gets another size while the chat starts may send no signal that is heard. Its size
// is asked for again, also where it was the usual one at first.
func TestSizeIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	fresh := New(t.Context(), s.m.o)
	var asked []tea.Msg
	fresh.follower.timer = func(_ time.Duration, msg tea.Msg) tea.Cmd { asked = append(asked, msg); return nil }
	fresh.Init()
	fresh.Update(tea.WindowSizeMsg{Width: fresh.width, Height: fresh.height})
	if len(asked) != 1 || asked[0] != (tea.Msg)(settled{}) {
		t.Errorf("the chat waits for %v", asked)
	}
}
