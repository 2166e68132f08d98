package gather

import (
	"context"
	"errors"
	"net/url"

	"golang.org/x/sync/errgroup"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
	"belay/internal/fault"
)

// addresses makes items of all addresses. While some are downloaded, as many at a
// time as may be, others are stored.
func (b *batch) addresses(ctx context.Context, all [][]*outcome) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2 * b.o.Downloads.Parallel())
	for _, same := range all {
		group.Go(func() error { return b.remote(ctx, same) })
	}
	return group.Wait()
}

// remote makes items of one address that one or several attachments have.
func (b *batch) remote(ctx context.Context, same []*outcome) error {
	var fetched []*outcome
	for _, o := range same {
		switch a := o.Attachment.(type) {
		case *declared.URL:
			if !a.Fetch {
				if err := b.refer(ctx, o, attachment.KindURL); err != nil {
					return err
				}
				continue
			}
		case *declared.Image:
			if a.Direct {
				if err := b.passOn(ctx, o); err != nil {
					return err
				}
				continue
			}
		}
		fetched = append(fetched, o)
	}
	if len(fetched) == 0 {
		return nil
	}
	return b.fetch(ctx, fetched)
}

// fetch downloads what is at the address and accepts it as each of them wants it.
func (b *batch) fetch(ctx context.Context, same []*outcome) error {
	file, err := b.o.Downloads.Fetch(ctx, same[0].Source.URL)
	if err != nil {
		return refuseAll(same, err)
	}
	for _, o := range same {
		f, e := file.Open()
		if e != nil {
			err = fault.New(fault.StorageFailure, "a download could not be read").Because(e)
			break
		}
		if err = b.accept(ctx, o, f); err != nil {
			break
		}
	}
	if e := file.Close(); err == nil && e != nil {
		err = fault.New(fault.StorageFailure, "a download could not be removed").Because(e)
	}
	return err
}

// passOn makes an item of an image's address, for models whose service fetches it.
func (b *batch) passOn(ctx context.Context, o *outcome) error {
	if err := b.o.Downloads.Check(ctx, o.Source.URL); err != nil {
		return refuseAll([]*outcome{o}, err)
	}
	return b.refer(ctx, o, attachment.KindImage)
}

// refer makes an item of an address that is not fetched. What a model is told of an
// address has no user name and password.
func (b *batch) refer(ctx context.Context, o *outcome, kind attachment.Kind) error {
	address := o.Source.URL
	if u, err := url.Parse(address); err == nil && u.User != nil {
		u.User = nil
		address = u.String()
		o.report.Warnings = append(o.report.Warnings, "the user name and password of the address were left out")
	}
	it, err := attachment.Reference(ctx, kind, address, o.report.Name, o.report.Origin, b.blobs)
	if err != nil {
		return err
	}
	if kind == attachment.KindImage {
		it.Detail = o.detail()
	}
	o.accept(it)
	return nil
}

// refuseAll notes on all of them what is wrong with their address, or returns an
// error that is not the address's.
func refuseAll(same []*outcome, err error) error {
	var bad *download.Error
	if !errors.As(err, &bad) {
		return err
	}
	for _, o := range same {
		o.refuse(bad.Code, bad.Reason)
	}
	return nil
}
