package turn

import (
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/tool"
)

// memory is the conversation as far as it was read from the transcript. It is
// kept between turns, because a long conversation should not be read again for
// every answer. Its exchanges are never changed.
type memory struct {
	entries   int
	last      string // turn of the last entry read
	exchanges []exchange
	// flat is all of it as messages, for as long as every exchange is plain: most
	// conversations are sent as they are.
	flat    []model.Message
	mixed   bool
	counted model.Measure // of flat
	// summary is the last one on record.
	summary summary
	// seen is which project files the model knows.
	seen *tool.Seen
}

// remember returns the conversation before the turn under way.
func (t *running) remember() memory {
	if t.agent != "" {
		return memory{} // a delegated agent knows its task and nothing else
	}
	m, _ := t.lease.Memo().(memory)
	if len(t.lease.Tampered()) > 0 {
		m = memory{seen: m.seen}
	}
	m = m.extend(t.lease.Entries(), t.id)
	t.lease.SetMemo(m)
	return m
}

// extend reads what the transcript has gained, up to the current turn. The
// result can always be sent: roles alternate, every tool call has its result,
// and nothing half-said is replayed.
func (m memory) extend(entries []session.Entry, current string) memory {
	if m.entries > len(entries) || m.entries > 0 && entries[m.entries-1].Turn != m.last {
		m = memory{seen: m.seen} // not the transcript that we knew
	}
	var open *exchange
	closeOpen := func() {
		if open != nil {
			open.close()
			m.exchanges = append(m.exchanges, *open)
			if m.mixed = m.mixed || !open.plain(); m.mixed {
				m.flat, m.counted = nil, model.Measure{}
			} else {
				known := len(m.flat)
				m.flat = append(append(m.flat, model.Message{Role: model.User, Content: open.asked}), open.replies...)
				for _, message := range m.flat[known:] {
					m.counted.Message(message)
				}
			}
			open = nil
		}
	}
	for _, e := range entries[m.entries:] {
		if e.Kind == session.EntryTurn && e.Turn == current {
			break
		}
		m.entries++
		m.last = e.Turn
		switch e.Kind {
		case session.EntryTurn:
			closeOpen()
			open = &exchange{turn: e.Turn, message: e.Message, warning: e.Warning, items: e.Attachments}
		case session.EntryAssistant, session.EntryTools, session.EntryInput:
			if open != nil && open.turn == e.Turn && e.Agent == "" {
				open.lines = append(open.lines, e)
			}
		case session.EntrySummary:
			if e.Agent != "" {
				continue // of a subagent's conversation
			}
			m.summary = summary{e.Through, e.Rounds, e.Summary}
			if open != nil && open.turn == e.Through {
				open.folded = e.Rounds
			}
		case session.EntryRequest, session.EntryIntent, session.EntryChanges, session.EntryEnd, session.EntryUndo: // the next turn was told of an undo
		}
	}
	closeOpen()
	return m
}
