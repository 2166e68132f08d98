package chat

import (
	"cmp"

	tea "charm.land/bubbletea/v2"
)

// CompactWish is the message of a compaction where the person says nothing.
const CompactWish = "Keep what is needed to go on."

// compactLabel says what the turn is.
const compactLabel = "summarise everything so far"

// compactSession begins a turn in which the model summarises all turns before it. What
// waits for the next message stays where it is.
func compactSession(m *Model, rest string) tea.Cmd {
	switch {
	case m.working():
		m.conversation.notify(noticeWarning, "a turn runs; wait for it, or stop it with Ctrl-C, and summarise then")
		return nil
	case m.loading:
		m.conversation.notify(noticeWarning, "the session is being read; summarise when it is on the screen")
		return nil
	case m.session == "":
		m.conversation.notify(noticeInfo, "nothing was said yet that could be summarised")
		return nil
	}
	return m.send(said{text: cmp.Or(rest, CompactWish), label: compactLabel, compact: true})
}
