package conversation

import (
	"belay/internal/model"
	"belay/internal/session"
)

// History is the turns before the one under way that were read from the transcript so
// far. The caller keeps it between turns, because a long conversation should not
// be read again for every answer. Its exchanges are never changed.
type History struct {
	entries   int
	last      string // turn of the last entry read
	exchanges []exchange
	// flat is all of it as messages, for as long as every exchange is plain: most
	// conversations are sent as they are.
	flat    []model.Message
	mixed   bool
	counted model.Measure // of flat
	// summary is the last one on record.
	summary Summary
}

// Extend reads what the transcript has gained, up to the current turn. The
// result can always be sent: roles alternate, every tool call has its result,
// and nothing half-said is replayed.
func (m History) Extend(entries []session.Entry, current string) History {
	if m.entries > len(entries) || m.entries > 0 && entries[m.entries-1].Turn != m.last {
		m = History{} // not the transcript that we knew
	}
	var open *exchange
	compact := "" // the turn that only summarises
	closeOpen := func() {
		if open != nil {
			open.nth = len(m.exchanges)
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
			if e.Compact {
				compact = e.Turn
				continue
			}
			open = &exchange{turn: e.Turn, message: session.Spoken(e.Message, e.Links), warning: e.Warning, items: e.Attachments}
		case session.EntryAssistant, session.EntryTools, session.EntryInput:
			switch {
			case open != nil && open.turn == e.Turn && e.Agent == "":
				open.lines = append(open.lines, e)
			case e.Kind == session.EntryInput && e.Turn == compact: // nobody has heard it
				closeOpen()
				open = &exchange{turn: e.Turn, message: session.Spoken(e.Message, e.Links), warning: e.Warning, items: e.Attachments}
			}
		case session.EntrySummary:
			if e.Agent != "" {
				continue // of a subagent's conversation
			}
			m.summary = summaryOf(e)
			if open != nil && open.turn == e.Through {
				open.folded = e.Rounds
			}
		case session.EntryRequest, session.EntryIntent, session.EntryChanges, session.EntryEnd, session.EntryUndo, session.EntryReplaced: // the next turn learnt of an undo
		}
	}
	closeOpen()
	return m
}

func summaryOf(e session.Entry) Summary { return Summary{e.Through, e.Rounds, e.Summary} }
