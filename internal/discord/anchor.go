package discord

import (
	"context"
	"slices"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord/record"
)

// anchoring asks the goroutine of an answer to go on in a new message. Done gets nil once
// that is on record.
type anchoring struct {
	anchor record.Anchor
	done   chan error
}

// reanchor has the answer go on below what people wrote since. One that ends meanwhile, or
// that is long in sending, stays where it is: the signals of other channels wait behind this.
// ID is that of the message which asks for it.
func (a *answer) reanchor(ctx context.Context, id string, p *contract.Reanchor) error {
	n := anchoring{record.Anchor{ID: id, AtOnce: p.Mode == contract.QueueInterrupt, ReplyTo: p.ReplyTo}, make(chan error, 1)}
	select {
	case a.anchoring <- n:
		return <-n.done
	case <-a.done:
		return nil
	case <-time.After(textFirst):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// goOn notes that the text after what was taken goes on in a new message: from the next
// paragraph, or at once. After a restart the output comes again, and breaks at the same place.
func (a *answer) goOn(n record.Anchor) error {
	if slices.ContainsFunc(a.request.Anchors, func(old record.Anchor) bool { return old.ID == n.ID }) {
		return nil // delivered again
	}
	n.After = a.position
	if err := a.channel.record.Anchored(a.request.ID, n); err != nil {
		return err
	}
	a.request.Anchors = append(a.request.Anchors, n)
	a.anchors = append(a.anchors, n)
	return nil
}
