package attachment

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"belay/internal/crash"
	"belay/internal/fault"
)

// intakes is how many files are read and stored at the same time.
const intakes = 4

// Resolution is what became of a turn's paths, all lists in input order.
type Resolution struct {
	Items   []Item
	Refused []Refusal
	// Accepted says for each path whether it is in Items or in Refused.
	Accepted []bool
}

// Resolve opens, checks, types and stores the files at paths. Nothing that a
// client says about a file counts, and one bad file never spoils the others.
//
// Per path, in this order: absolute, extension, roots, opened without following
// a link, regular (on the descriptor), file size, turn budget, then the bytes:
// kind, image header, text encoding, unchanged while read. The first check that
// fails gives the [Refusal].
//
// The budget is the sequential rule of REQ-06: input order, both limits
// inclusive, a file listed twice is charged twice, a refused file is never
// charged, whatever it was refused for. Bytes are read in parallel all the same,
// and the outcome is that of reading one file after the other.
//
// The error is ctx's, or a *fault.Error when the store fails or the process has
// no descriptors left; a file's own faults are refusals.
func Resolve(ctx context.Context, paths []string, p Policy, b BlobStore) (Resolution, error) {
	p = p.withDefaults()
	in := &intake{policy: p, store: b}
	if p.Roots != nil {
		in.fence = newFence(p.Roots)
	}
	candidates := make([]*candidate, len(paths))
	defer func() {
		for _, c := range candidates {
			if c != nil {
				c.close()
			}
		}
	}()
	for i, path := range paths {
		if err := ctx.Err(); err != nil {
			return Resolution{}, err
		}
		c := &candidate{path: path}
		candidates[i] = c
		if i >= p.MaxItems {
			c.refuse(OverBudget, "a turn takes at most %d attachments (attachments.max_items)", p.MaxItems)
			continue
		}
		if err := in.open(c); err != nil {
			return Resolution{}, err
		}
	}
	if err := in.admit(ctx, candidates); err != nil {
		return Resolution{}, err
	}
	var r Resolution
	for _, c := range candidates {
		r.Accepted = append(r.Accepted, c.refusal == nil)
		if c.refusal != nil {
			r.Refused = append(r.Refused, *c.refusal)
		} else {
			r.Items = append(r.Items, c.item)
		}
	}
	return r, nil
}

// admit spends the turn's budget and reads what fits into it.
//
// It walks the candidates in order, taking those not read yet for good, and
// reads them. If one proves bad its bytes go back to the budget and the walk is
// done again, until no verdict is new. Each file is read at most once, and
// because a verdict on the budget only depends on the files before, the last
// walk is the one that a sequential reader would have made.
func (in *intake) admit(ctx context.Context, all []*candidate) error {
	for {
		var spent int64
		var unread []*candidate
		for _, c := range all {
			if c.refusal != nil && !c.read {
				continue // refused before it came to the budget
			}
			c.overBudget = c.size > in.policy.TurnBytes-spent
			if c.overBudget {
				c.spentBefore = spent
				continue
			}
			if !c.read {
				unread = append(unread, c)
			}
			if c.refusal == nil {
				spent += c.size
			}
		}
		if len(unread) == 0 {
			break
		}
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(intakes)
		for _, c := range unread {
			group.Go(crash.Caught(func() error { return in.read(ctx, c) }))
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	for _, c := range all {
		if c.overBudget {
			c.refuse(OverBudget, "with its %d bytes the attachments would exceed the turn's limit of %d bytes (attachments.turn_bytes; %d used by earlier ones)",
				c.size, in.policy.TurnBytes, c.spentBefore)
		}
	}
	return nil
}

// storageFault makes an error of the store a wire error; a context's error and
// wire errors pass.
func storageFault(err error) error {
	var wire *fault.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.As(err, &wire):
		return err
	}
	return fault.New(fault.StorageFailure, "an attachment could not be stored").Because(err)
}
