package attachment

import (
	"context"
	"time"

	"belay/internal/attachment/pdf"
)

// countTime bounds the counting of one PDF's pages while a turn is resolved.
// Ordinary files take a millisecond; only one made to be slow comes near it.
const countTime = 2 * time.Second

// countPages fills in a PDF's pages from the stored bytes if the light reader
// can count them; else they stay unknown and the planner finds out
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
	f, err := pdf.Open(limited, src, content.Size())
	if err == nil {
		c.item.Pages, err = f.Pages(limited)
	}
	if err != nil {
		c.item.Pages = 0 // unknown; an ended ctx is the caller's to see
	}
	return ctx.Err()
}
