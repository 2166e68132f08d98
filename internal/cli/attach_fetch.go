package cli

import (
	"context"
	"errors"
	"fmt"

	"belay/internal/app"
	"belay/internal/attachment/download"
	"belay/internal/config"
	"belay/internal/turn"
)

// fetched returns paths with a file of the project in the place of each address:
// what is there is downloaded to this machine, within the limits for attachments,
// and uploaded as a file of this machine is. The turn judges it as any other file.
func (c *console) fetched(ctx context.Context, cfg *config.Config, e turn.Engine, where turn.Upload, paths []string) (_ []string, err error) {
	var downloads *download.Downloads
	out := make([]string, len(paths))
	for i, p := range paths {
		if out[i] = p; !isAddress(p) {
			continue
		}
		if downloads == nil {
			if downloads, err = app.NewDownloads(cfg); err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, downloads.Close()) }()
		}
		if out[i], err = fetch(ctx, downloads, e, where, p); err != nil {
			return nil, err
		}
		c.note("fetched", download.Clean(p))
	}
	return out, nil
}

// fetch brings what is at an address into the project and returns its path.
func fetch(ctx context.Context, d *download.Downloads, e turn.Engine, where turn.Upload, address string) (path string, err error) {
	file, err := d.Fetch(ctx, address)
	var bad *download.Error
	if errors.As(err, &bad) {
		return "", failed(ExitFailed, "mend the address, or download the file yourself and attach that", fmt.Errorf("%w (%s)", bad, bad.Code))
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err := file.Open()
	if err != nil {
		return "", fmt.Errorf("read what was fetched: %w", err)
	}
	defer content.Close() // it was only read
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
