package turn

import (
	"belay/internal/attachment/block"
	"belay/internal/fault"
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
