package turn

import (
	"context"
	"os"

	"belay/internal/attachment"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// dryRun plans attachments as a turn would, without a record.
type dryRun struct {
	store   *session.Store
	planner *attachment.Planner
	// scratchDir holds the files while it lasts.
	scratchDir string
}

// aside lends a store that is gone afterwards.
func (d dryRun) aside(use func(*session.Blobs) error) error {
	dir, err := os.MkdirTemp(d.scratchDir, "inspect-")
	if err != nil {
		return fault.New(fault.StorageFailure, "no room for a dry run").Because(err)
	}
	defer func() { _ = durable.RemoveTree(dir) }() // a leftover is swept with the scratch folder
	blobs, err := d.store.Blobs(dir)
	if err != nil {
		return err
	}
	return use(blobs)
}

// verdicts lines items and refusals up with the paths they came from.
func (d dryRun) verdicts(ctx context.Context, paths []string, r attachment.Resolution, blobs *session.Blobs, limits attachment.Limits) ([]Inspection, error) {
	many := limits.ManyImages > 0 && conversation.Images(r.Items) > limits.ManyImages
	items, refused := r.Items, r.Refused
	out := make([]Inspection, 0, len(paths))
	for i, path := range paths {
		if !r.Accepted[i] {
			out = append(out, Inspection{Path: path, Code: refused[0].Code, Reason: refused[0].Reason})
			refused = refused[1:]
			continue
		}
		it := items[0]
		items = items[1:]
		content, err := blobs.Content(it.SHA256)
		if err != nil {
			return nil, err
		}
		delivery, err := d.planner.Plan(ctx, it, content, limits, many)
		if err != nil {
			return nil, err
		}
		out = append(out, Inspection{
			Path: path, OK: true, SHA256: it.SHA256, Kind: it.Kind, MIMEType: it.MIMEType,
			Bytes: it.Bytes, Base64Bytes: (it.Bytes + 2) / 3 * 4, Tokens: delivery.Tokens,
			Width: it.Width, Height: it.Height, Pages: it.Pages, Used: delivery.Used, Note: delivery.Warning,
		})
	}
	return out, nil
}
