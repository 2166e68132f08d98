package chat

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
	"belay/internal/session"
)

// open goes to another session, or with "" to one that the next message makes. What
// is on the screen goes; what is typed, and what was chosen for the next turns, stays.
func (m *Model) open(id string) tea.Cmd {
	m.fresh(id)
	if id == "" {
		m.greet()
		return nil
	}
	return m.calls.load(m.session, m.follower.log)
}

// fresh is the state of a session of which nothing is known yet.
func (m *Model) fresh(id string) {
	m.follower.begin()
	m.session, m.loading, m.unread = id, id != "", false
	m.conversation = conversation{look: m.look, whole: m.conversation.whole}
	m.reducer = newReducer(m)
	m.outbox = outbox{attached: m.outbox.attached}
	m.dialog.asks, m.dialog.answering, m.dialog.away = nil, false, false
	m.stopping, m.leaving, m.menu = false, time.Time{}, nil
	m.info, m.answer = info{persona: m.o.Opts.Persona, mode: m.o.Opts.Mode, model: m.o.Opts.Model}, ""
}

// leaves reports whether the session can be left: a turn that this process runs ends
// with it, and nobody would see its questions.
func (m *Model) leaves() bool {
	if len(m.outbox.held) > 0 {
		m.conversation.notify(noticeWarning, "a message waits until this session is read; it is sent then")
		return false
	}
	if m.working() && (!m.o.Outlives || m.outbox.sending != nil || len(m.outbox.early) > 0) {
		m.conversation.notify(noticeWarning, "a turn runs here; wait for it, or stop it with Ctrl-C")
		return false
	}
	return true
}

func newSession(m *Model, _ string) tea.Cmd {
	if !m.leaves() {
		return nil
	}
	return m.open("")
}

// goToSession goes to the session that a beginning of its id names, or lets the person pick.
func goToSession(m *Model, rest string) tea.Cmd {
	if !m.leaves() {
		return nil
	}
	if rest == "" {
		return pickSession(m)
	}
	return m.calls.call(func(ctx context.Context) tea.Msg {
		rec, err := m.o.Engine.Get(ctx, rest)
		if err == nil {
			return chosen{rec.SessionID, nil}
		}
		found, ferr := m.o.Engine.Find(ctx, rest)
		switch {
		case ferr != nil || len(found) == 0:
			return chosen{err: err}
		case len(found) > 1:
			return chosen{err: fmt.Errorf("more than one session begins with %s", render.Line(rest))}
		}
		return chosen{found[0].SessionID, nil}
	})
}

type (
	// chosen is a session to go to.
	chosen struct {
		id  string
		err error
	}
	// choices are what there is to pick from, none what is said where there is nothing.
	// They are about a session, or about none.
	choices struct {
		session     string
		title, none string
		about       []string
		rows        []*choice
		err         error
	}
	// forked is the session that goes on from a turn of this one; next is the message
	// here after that turn, during the turn that ran when the fork was asked for.
	forked struct {
		record session.Record
		from   string
		next   string
		during string
		err    error
	}
)

// How many sessions and turns there are to pick from; of how many sessions it is
// looked up how they began, and for how long.
const (
	maxChoices    = 500
	maxTitles     = 30
	titlePatience = 2 * time.Second
	titleColumns  = 120
)

// pickSession lets the person pick one of the project's sessions, the last used first.
func pickSession(m *Model) tea.Cmd {
	now, own, project := m.o.Clock(), m.session, m.o.Project
	return m.calls.call(func(ctx context.Context) tea.Msg {
		recent, err := m.o.Engine.ListPage(ctx, project, session.ListOptions{Limit: maxChoices, Recent: true})
		if err != nil {
			return choices{err: err}
		}
		looking, cancel := context.WithTimeout(ctx, titlePatience)
		defer cancel()
		c := choices{title: "Which session?", none: "this project has no sessions yet"}
		for i, r := range recent.Records {
			row := &choice{
				row:  row{head: shortID(r.SessionID), detail: ago(now.Sub(r.UpdatedAt.Time)) + " · " + r.Persona, mark: r.SessionID == own},
				pick: func() tea.Cmd { return func() tea.Msg { return chosen{id: r.SessionID} } },
			}
			title := render.Glance(r.Title, titleColumns)
			if title == "" && i < maxTitles {
				title = m.calls.opening(looking, r.SessionID)
			}
			if title != "" {
				row.head, row.detail = title, row.detail+" · "+row.head
			}
			c.rows = append(c.rows, row)
		}
		return c
	})
}

// opening is how a session began, "" where that is not known.
func (c *calls) opening(ctx context.Context, id string) string {
	if c.o.Opening != nil {
		return render.Glance(c.o.Opening(ctx, id), titleColumns)
	}
	entries, err := c.o.Engine.Transcript(ctx, id)
	if err != nil || len(entries) == 0 {
		return ""
	}
	return render.Glance(entries[0].Message, titleColumns)
}

// picked opens a menu of what there is.
func (m *Model) picked(msg choices) {
	switch {
	case msg.session != "" && msg.session != m.session: // the person has left it
	case msg.err != nil:
		m.conversation.notify(noticeFailure, why(msg.err))
	case len(msg.rows) == 0:
		m.conversation.notify(noticeInfo, msg.none)
	case !m.editor.empty(): // they type on
	default:
		m.menu, m.dialog.answering = &menu{title: msg.title, about: msg.about, rows: msg.rows}, false
		m.menu.at = max(0, slices.IndexFunc(msg.rows, func(c *choice) bool { return c.mark }))
	}
}

// gone goes to the session that was picked or named.
func (m *Model) gone(msg chosen) tea.Cmd {
	switch {
	case msg.err != nil:
		m.conversation.notify(noticeFailure, why(msg.err))
	case msg.id == m.session:
		m.conversation.notify(noticeInfo, "this is that session")
	case m.leaves(): // a turn may have begun meanwhile
		return m.open(msg.id)
	}
	return nil
}

// greet says where a session begins of which there is nothing to show.
func (m *Model) greet() {
	text := "a new session"
	if m.o.Project != "" {
		text += " in " + m.o.Project
	}
	m.conversation.notify(noticeInfo, text)
}

// shortID is as much of a session's id as distinguishes it from others for a person.
func shortID(id string) string { return id[:min(len(id), 13)] }

// ago says how long something is past.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
