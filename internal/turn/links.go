package turn

import (
	"slices"

	"belay/internal/attachment"
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
// have their addresses in the last of them ([unite]).
func filesOf(entries []session.Entry) []block.Item {
	for i := len(entries) - 1; i >= 0; i-- {
		e := &entries[i]
		if e.Agent != "" || e.Kind != session.EntryTurn && e.Kind != session.EntryInput || len(e.Links)+len(e.Attachments) == 0 {
			continue
		}
		return block.Unite(slices.Concat(e.Links, uploads(e.Attachments)))
	}
	return nil
}

// unite puts the files of messages that a model gets together into the last of them, so that
// one block holds them all. The attached files of each stay with it, too.
func unite(inputs []session.Input) {
	if len(inputs) < 2 {
		return
	}
	var all []block.Item
	last := len(inputs) - 1
	for i := range inputs {
		all = append(all, inputs[i].Links...)
		inputs[i].Links = nil
		if i < last {
			all = append(all, uploads(inputs[i].Items)...)
		}
	}
	inputs[last].Links = block.Unite(all)
}

// uploads are attached files as items of a block.
func uploads(files []attachment.Item) []block.Item {
	items := make([]block.Item, len(files))
	for i, it := range files {
		items[i] = block.Item{SHA256: it.SHA256, Filename: it.Name, MIMEType: it.MIMEType, Size: it.Bytes}
	}
	return items
}
