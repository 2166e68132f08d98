package gather

import (
	"context"
	"errors"
	"net/url"
	"sync"

	"golang.org/x/sync/errgroup"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
	"belay/internal/crash"
	"belay/internal/fault"
)

// fetched is a download and the attachments that have its address.
type fetched struct {
	file *download.File
	same []*outcome
}

// addresses makes items of all addresses. Who has fetched one asks for the next at
// once, as many at a time as may be; others store meanwhile what has come. Where they
// do not keep up, nothing more is asked for.
func (b *batch) addresses(ctx context.Context, all [][]*outcome) error {
	if len(all) == 0 {
		return nil
	}
	queue, came := make(chan []*outcome, len(all)), make(chan fetched)
	for _, same := range all {
		queue <- same
	}
	close(queue)
	group, ctx := errgroup.WithContext(ctx)
	var fetching sync.WaitGroup
	for range min(len(all), b.o.Downloads.Parallel()) {
		fetching.Add(1)
		group.Go(crash.Caught(func() error {
			defer fetching.Done()
			return b.fetchAll(ctx, queue, came)
		}))
		group.Go(crash.Caught(func() error { return b.storeAll(ctx, came) }))
	}
	group.Go(crash.Caught(func() error {
		fetching.Wait()
		close(came)
		return nil
	}))
	return group.Wait()
}

// fetchAll takes one address after the other and hands on what is there.
func (b *batch) fetchAll(ctx context.Context, queue <-chan []*outcome, came chan<- fetched) error {
	for same := range queue {
		same, err := b.referred(ctx, same)
		if err != nil {
			return err
		}
		if len(same) == 0 {
			continue
		}
		file, err := b.o.Downloads.Retrying(retries(same)).Fetch(ctx, same[0].Source.URL)
		if err != nil {
			if err := refuseAll(same, err); err != nil {
				return err
			}
			continue
		}
		select {
		case came <- fetched{file, same}:
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), file.Close())
		}
	}
	return nil
}

// retries is how often a download for several attachments is tried again at least.
func retries(same []*outcome) (most int) {
	for _, o := range same {
		most = max(most, o.Retries)
	}
	return most
}

// referred makes items of the attachments whose address is not fetched, and returns
// the others.
func (b *batch) referred(ctx context.Context, same []*outcome) (others []*outcome, err error) {
	for _, o := range same {
		switch {
		case o.Type == declared.TypeURL && !o.Fetch:
			err = b.refer(ctx, o, attachment.KindURL)
		case o.Type == declared.TypeImage && o.Direct:
			err = b.passOn(ctx, o)
		default:
			others = append(others, o)
		}
		if err != nil {
			return nil, err
		}
	}
	return others, nil
}

func (b *batch) storeAll(ctx context.Context, came <-chan fetched) error {
	for c := range came {
		if err := errors.Join(b.store(ctx, c), c.close()); err != nil {
			return err
		}
	}
	return nil
}

// store accepts a download as each attachment wants it that has its address.
func (b *batch) store(ctx context.Context, c fetched) error {
	for _, o := range c.same {
		f, err := c.file.Open()
		if err != nil {
			return err
		}
		if err := b.accept(ctx, o, f); err != nil {
			return err
		}
	}
	return nil
}

func (c fetched) close() error {
	if err := c.file.Close(); err != nil {
		return fault.New(fault.StorageFailure, "a download could not be removed").Because(err)
	}
	return nil
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
