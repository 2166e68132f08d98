package chat

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
	"belay/internal/turn"
)

// renamed is what became of a new title.
type renamed struct {
	title string
	err   error
}

// renameSession sets what lists call this session.
func renameSession(m *Model, rest string) tea.Cmd {
	switch {
	case m.session == "":
		m.conversation.notify(noticeInfo, "nothing was said yet that could have a title")
		return nil
	case rest == "":
		m.conversation.notify(noticeInfo, "type the title after it, such as /rename The piers")
		return nil
	}
	id := m.session
	return m.calls.call(func(ctx context.Context) tea.Msg {
		rec, err := m.o.Engine.Update(ctx, id, turn.SessionChange{Title: &rest})
		return renamed{rec.Title, err}
	})
}

// tell says so.
func (r renamed) tell(m *Model) {
	if r.err != nil {
		m.conversation.notify(noticeWarning, "the session keeps its title: "+why(r.err))
		return
	}
	m.conversation.notify(noticeInfo, "lists call this session “"+render.Line(r.title)+"” now")
}
