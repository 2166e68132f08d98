package attachment

import (
	"context"

	"belay/internal/attachment/pdf"
)

// countPages fills in a PDF's pages from the stored bytes if that takes no
// engine; else they stay unknown and the planner finds out
// when it must.
func (in *intake) countPages(ctx context.Context, c *candidate) error {
	content, err := in.store.Content(c.item.SHA256)
	if err != nil {
		return storageFault(err)
	}
	src, closer, err := readerAt(content, in.policy.FileBytes)
	if err != nil {
		return storageFault(err)
	}
	defer closer.Close()
	limited, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	c.item.Pages, err = pdf.CountPages(limited, src, content.Size())
	if err != nil {
		c.item.Pages = 0 // unknown; an ended ctx is the caller's to see
	}
	return ctx.Err()
}
