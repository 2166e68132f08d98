package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"belay/internal/app"
	"belay/internal/attachment/download"
	"belay/internal/blank"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/turn"
)

// fetchAddresses returns the files, each address with a file of the project in its place:
// what is there is downloaded to this machine, within the limits for attachments, and
// uploaded as a file of this machine is. The turn judges it as any other file. An
// address that is there twice is fetched once.
func fetchAddresses(ctx context.Context, c *console, cfg *config.Config, e turn.Engine, a attaching) []attachedFile {
	files := make([]attachedFile, len(a.files))
	var addresses []string
	for i, name := range a.files {
		files[i] = attachedFile{name: name, fetched: isAddress(name)}
		switch {
		case blank.Is(name):
			files[i].err = usageHint("leave it out, or name a file", "--attach is empty")
		case !files[i].fetched:
			files[i].local, files[i].err = filepath.Abs(name)
			files[i].path = files[i].local
		case !slices.Contains(addresses, name):
			addresses = append(addresses, name)
		}
	}
	if len(addresses) == 0 {
		return files
	}
	stored, errs := fetchEach(ctx, cfg, e, a, addresses)
	fine := errors.Join(errs...) == nil
	for i := range files {
		f := &files[i]
		if at := slices.Index(addresses, f.name); at >= 0 {
			f.path, f.err = stored[at], errs[at]
			if first := slices.Index(a.files, f.name) == i; first && f.err == nil && (fine || a.skip) {
				c.note("fetched", download.Clean(f.name))
			}
		}
	}
	return files
}

// fetchEach brings what is at addresses into the project, several at a time, and says
// of each where it is or why it does not. Where one of them is refused and none may be left out,
// nothing is kept.
func fetchEach(ctx context.Context, cfg *config.Config, e turn.Engine, a attaching, addresses []string) ([]string, []error) {
	stored, errs := make([]string, len(addresses)), make([]error, len(addresses))
	downloads, err := app.NewDownloads(cfg)
	if err != nil {
		return stored, slices.Repeat([]error{err}, len(addresses))
	}
	fetched := make([]*download.File, len(addresses))
	each := func(do func(i int)) {
		group := errgroup.Group{}
		group.SetLimit(downloads.Parallel())
		for i := range addresses {
			group.Go(func() error { do(i); return nil }) // what is wrong with the others is reported too
		}
		_ = group.Wait() // errs has all there is
	}
	each(func(i int) { fetched[i], errs[i] = fetch(ctx, downloads, addresses[i]) })
	keep := a.skip || errors.Join(errs...) == nil
	each(func(i int) {
		if file := fetched[i]; file != nil {
			if keep {
				stored[i], errs[i] = storeFetched(ctx, e, a.where, addresses[i], file)
			}
			errs[i] = errors.Join(errs[i], file.Close())
		}
	})
	if err := downloads.Close(); err != nil {
		errs[0] = errors.Join(errs[0], err)
	}
	return stored, errs
}

// fetch downloads what is at an address. The caller closes the file.
func fetch(ctx context.Context, d *download.Downloads, address string) (*download.File, error) {
	file, err := d.Fetch(ctx, address)
	if bad := (*download.Error)(nil); errors.As(err, &bad) {
		return nil, failed(ExitUsage, skipHint, fmt.Errorf("%w (%s)", bad, bad.Code))
	}
	return file, err
}

// storeFetched brings a download into the project and returns its path.
func storeFetched(ctx context.Context, e turn.Engine, where turn.Upload, address string, file *download.File) (string, error) {
	content, err := file.Open()
	if err != nil {
		return "", err
	}
	defer func() { _ = content.Close() }() // it was only read
	where.Name, where.Content = download.NameOf(address), content
	return store(ctx, e, where)
}

// store uploads a file and returns the path that it has for the engine.
func store(ctx context.Context, e turn.Engine, where turn.Upload) (string, error) {
	up, err := e.Upload(ctx, where)
	if fault.Is(err, fault.AttachmentFailure) || fault.Is(err, fault.RequestTooLarge) {
		return "", failed(ExitUsage, skipHint, err)
	}
	return up.Path, err
}

// target is where uploads of a turn go: to its session, or to the project that a
// new session will be in.
func target(session, project string) turn.Upload {
	if session != "" {
		return turn.Upload{SessionID: session}
	}
	return turn.Upload{ProjectRoot: project}
}
