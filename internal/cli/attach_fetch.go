package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"belay/internal/app"
	"belay/internal/attachment/download"
	"belay/internal/config"
	"belay/internal/turn"
)

// fetched returns paths with a file of the project in the place of each address:
// what is there is downloaded to this machine, within the limits for attachments,
// and uploaded as a file of this machine is. The turn judges it as any other file.
// An address that is there twice is fetched once; the error names all that are wrong.
func (c *console) fetched(ctx context.Context, cfg *config.Config, e turn.Engine, where turn.Upload, paths []string) (_ []string, err error) {
	var addresses []string
	for _, p := range paths {
		if isAddress(p) && !slices.Contains(addresses, p) {
			addresses = append(addresses, p)
		}
	}
	if len(addresses) == 0 {
		return paths, nil
	}
	downloads, err := app.NewDownloads(cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, downloads.Close()) }()
	stored := make([]string, len(addresses))
	wrong := make([]error, len(addresses))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(downloads.Parallel())
	for i, address := range addresses {
		group.Go(func() (err error) {
			stored[i], err = fetch(ctx, downloads, e, where, address)
			if bad := (*download.Error)(nil); errors.As(err, &bad) {
				wrong[i], err = fmt.Errorf("%w (%s)", bad, bad.Code), nil // what is wrong with the others is told too
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, failed(ExitFailed, "mend the address, or download the file yourself and attach that", err)
	}
	for _, address := range addresses {
		c.note("fetched", download.Clean(address))
	}
	out := slices.Clone(paths)
	for i, p := range out {
		if at := slices.Index(addresses, p); at >= 0 {
			out[i] = stored[at]
		}
	}
	return out, nil
}

// fetch brings what is at an address into the project and returns its path.
func fetch(ctx context.Context, d *download.Downloads, e turn.Engine, where turn.Upload, address string) (path string, err error) {
	file, err := d.Fetch(ctx, address)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err := file.Open()
	if err != nil {
		return "", err
	}
	defer func() { _ = content.Close() }() // it was only read
	where.Name, where.Content = download.NameOf(address), content
	up, err := e.Upload(ctx, where)
	if err != nil {
		return "", fmt.Errorf("attach %s: %w", file.URL, err)
	}
	return up.Path, nil
}

// target is where uploads of a turn go: to its session, or to the project that a
// new session will be in.
func target(session, project string) turn.Upload {
	if session != "" {
		return turn.Upload{SessionID: session}
	}
	return turn.Upload{ProjectRoot: project}
}
