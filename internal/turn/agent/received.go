package agent

import (
	"slices"

	"belay/internal/attachment/block"
	"belay/internal/session"
)

// received are the files of the newest message of a person that has some: those at an
// address, then those that were attached.
func (a *Run) received() []block.Item {
	entries := a.Lease.Entries()
	if a.Alone {
		entries = a.own()
	}
	return filesOf(entries)
}

// filesOf looks for the newest message with files. Messages that reached the model together
// count as one.
func filesOf(entries []session.Entry) []block.Item {
	for i := len(entries) - 1; i >= 0; i-- {
		e := &entries[i]
		if e.Agent != "" || e.Kind != session.EntryTurn && e.Kind != session.EntryInput {
			continue
		}
		if items := slices.Concat(session.BlockAt(entries, i), session.Uploads(e.Attachments)); len(items) > 0 {
			return block.Unite(items)
		}
	}
	return nil
}
