package chat

import (
	tea "charm.land/bubbletea/v2"
)

// waitsNotification is the bell and the notification of the desktop (OSC 9): what a terminal gets when a
// question waits and nobody looks at it. The text is ours alone: nothing of a model gets
// into a control sequence.
const waitsNotification = "\a\x1b]9;belay: a question waits for your answer\x1b\\"

// attention calls the person when a question comes up and the terminal is not focused.
type attention struct {
	// off is set where the person wants none of it.
	off bool
	// away is set while the terminal says that it has no focus. One that never says so
	// is taken to have it.
	away bool
	// called has the questions that the person was called for.
	called map[string]bool
}

// focused takes the terminal's word on its focus.
func (n *attention) focused(yes bool) { n.away = !yes }

// call is the signal for the questions that wait, nil where it was given or nobody is
// away.
func (n *attention) call(asks []*ask) tea.Cmd {
	if n.off || !n.away {
		return nil
	}
	fresh := false
	for _, a := range asks {
		if !n.called[a.DecisionID] {
			fresh = true
			if n.called == nil {
				n.called = map[string]bool{}
			}
			n.called[a.DecisionID] = true
		}
	}
	if !fresh {
		return nil
	}
	return tea.Raw(waitsNotification)
}
