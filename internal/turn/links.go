package turn

import (
	"slices"

	"belay/internal/attachment/block"
	"belay/internal/fault"
	"belay/internal/session"
)

// Links keeps the addresses of files that people sent; [links.Store] is one.
//
// [links.Store]: https://pkg.go.dev/belay/internal/attachment/links#Store
type Links interface {
	// Keep returns the items as records have them. It fails with STORAGE_FAILURE.
	Keep(items []block.Item) ([]block.Item, error)
}

// keepLinks keeps the addresses of files that came with a message, and returns them as the
// transcript has them. What does not fit into one message is refused.
func keepLinks(l Links, items []block.Item) ([]block.Item, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if _, dropped := block.Compose("", items); len(dropped) > 0 {
		return nil, fault.New(fault.InvalidRequest, "%d of the %d files of the message cannot be taken", len(dropped), len(items)).
			With("field", "links").WithHint("send at most %d files with one message, each at an http or https address", block.MaxItems)
	}
	if l == nil {
		return nil, fault.New(fault.InvalidRequest, "this engine takes no files by their addresses").With("field", "links")
	}
	return l.Keep(items)
}

// received are the files of the newest message of a person that has some: those at an
// address, then those that were attached.
func (t *agentRun) received() []block.Item {
	entries := t.lease.Entries()
	if t.alone {
		entries = t.own()
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
