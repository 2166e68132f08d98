package chat

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// The terminal is rung once for a question that comes up while it has no focus, and for
// none otherwise. Nothing of the question is in the signal.
func TestTheTerminalIsRung(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		quiet bool
		focus []tea.Msg
		want  int
	}{
		"without focus":        {false, []tea.Msg{tea.BlurMsg{}}, 1},
		"with focus":           {false, []tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}}, 0},
		"of unknown focus":     {false, nil, 0},
		"switched off":         {true, []tea.Msg{tea.BlurMsg{}}, 0},
		"left, and left again": {false, []tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}, tea.BlurMsg{}}, 1},
	} {
		s := newStage(t, func(o *Options) { o.Quiet = c.quiet })
		if on := s.m.View().ReportFocus; on == c.quiet {
			t.Errorf("%s: focus is reported: %v", name, on)
		}
		s.begun()
		for _, msg := range c.focus {
			s.send(msg)
		}
		rung := 0
		for range 2 { // a question notifies once, however often it is reported
			s.log(question("d1")...)
		}
		s.m.attention.called = nil
		if cmd := s.m.attention.call(s.m.dialog.asks); cmd != nil {
			rung++
			if signal := fmt.Sprint(cmd().(tea.RawMsg).Msg); strings.Contains(signal, "rm -rf") || !strings.HasPrefix(signal, "\a\x1b]9;belay") {
				t.Errorf("%s: the signal is %q", name, signal)
			}
			if s.m.attention.call(s.m.dialog.asks) != nil {
				t.Errorf("%s: it rings again", name)
			}
		}
		if rung != c.want {
			t.Errorf("%s: rung %d times, want %d", name, rung, c.want)
		}
	}
}
