// Package download fetches what people attach by its address: to memory what is
// small, to files in a private folder what is not, within limits, and to nowhere else.
//
// [Downloads.Fetch] asks with GET and nothing of the session, and follows redirects as
// far as the policy lets it. What failed for a reason that may pass is tried again. Package netguard checks every address
// where it is dialled. A body is refused before it is read where its announced
// length is too large, and where it turns out longer, shorter or slower than it may
// be. A large one goes to disk as it comes, so memory does not grow with it.
//
// The files of a process lie in a folder of their own under a lock that the system
// frees however the process ends. [File.Close] removes a file, [Downloads.Close] the
// folder, and [Downloads.Sweep] the folders whose process is gone. Errors that lie in the
// address or in what is there are *[Error]s, without credentials and queries.
//
// Specification: attachments, sections 1, 10 and 13.
package download

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"

	"golang.org/x/sync/semaphore"

	"belay/internal/attachment"
	"belay/internal/netguard"
)

// Downloads fetches files. It is safe for concurrent use. Close it when done.
type Downloads struct {
	o      Options
	client *http.Client
	slots  *semaphore.Weighted
	room   *semaphore.Weighted // nil without a limit
	folder *folder
}

// New returns Downloads. It fails on a policy with ill-formed hosts.
func New(o Options) (*Downloads, error) {
	o = o.withDefaults()
	client, err := netguard.Client(o.Policy)
	if err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	d := &Downloads{
		o: o, client: client, slots: semaphore.NewWeighted(int64(o.Parallel)),
		folder: &folder{parent: o.Dir},
	}
	if o.TempBytes > 0 {
		d.room = semaphore.NewWeighted(o.TempBytes)
	}
	return d, nil
}

// Sweep removes the folders of processes that are gone. Those that live keep theirs.
func (d *Downloads) Sweep() error { return sweep(d.o.Dir) }

// Close removes the files that are still there and closes connections that are kept
// for reuse. No Fetch may be under way.
func (d *Downloads) Close() error {
	d.client.CloseIdleConnections()
	return d.folder.remove()
}

// Parallel is how many downloads are under way at one time.
func (d *Downloads) Parallel() int { return d.o.Parallel }

// UpTo is d with files of at most so many bytes, if that is less than d's own limit. The
// setting is what errors call the limit by. Both share their other limits and files; d is the
// one to close.
func (d *Downloads) UpTo(most int64, setting string) *Downloads {
	if most >= d.o.ItemBytes {
		return d
	}
	less := *d
	less.o.ItemBytes, less.o.Settings.ItemBytes = most, setting
	return &less
}

// Check holds an address to the policy without asking for what is there, with the
// network addresses that it has now. The error is an *[Error], or ctx's.
func (d *Downloads) Check(ctx context.Context, address string) error {
	u, err := parse(address)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, d.o.Timeout)
	defer cancel()
	if err := d.o.Policy.Resolve(limited, u); err != nil {
		return d.failure(ctx, limited, u, err)
	}
	return nil
}

// Fetch downloads what is at an address, again where that may help. The caller closes
// the file. The error is an *[Error], ctx's, or a STORAGE_FAILURE where the file could
// not be kept. While it waits for another try it holds nothing.
func (d *Downloads) Fetch(ctx context.Context, address string) (*File, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	return d.retried(ctx, func() (*File, error) { return d.try(ctx, address, u) })
}

// try downloads once.
func (d *Downloads) try(ctx context.Context, address string, u *url.URL) (_ *File, err error) {
	if err := d.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer d.slots.Release(1)
	f := &File{URL: Clean(address)}
	limit := d.limit()
	if d.room != nil {
		if err := d.room.Acquire(ctx, limit); err != nil {
			return nil, err
		}
		f.room, f.held = d.room, limit
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	limited, cancel := context.WithTimeout(ctx, d.o.Timeout)
	defer cancel()
	if err := d.fetch(limited, f, u); err != nil {
		return nil, d.failure(ctx, limited, u, err)
	}
	f.settle()
	return f, nil
}

// fetch asks for an address and keeps the answer in f.
func (d *Downloads) fetch(ctx context.Context, f *File, u *url.URL) error {
	res, err := d.ask(ctx, u)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := d.acceptable(res); err != nil {
		return err
	}
	body, err := plain(res)
	if err != nil {
		return err
	}
	if f.MIMEType, _, err = mime.ParseMediaType(res.Header.Get("Content-Type")); err != nil {
		f.MIMEType = "" // it is none that anybody knows
	}
	return d.keep(f, body)
}

// limit is how large one download may become.
func (d *Downloads) limit() int64 {
	if d.o.TempBytes > 0 {
		return min(d.o.ItemBytes, d.o.TempBytes)
	}
	return d.o.ItemBytes
}

// ask sends the request. A user name and password go in its header, for the first
// host alone.
func (d *Downloads) ask(ctx context.Context, u *url.URL) (*http.Response, error) {
	bare := *u
	bare.User = nil
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, bare.String(), nil)
	if err != nil {
		return nil, &Error{Code: BadAddress, Reason: "the address cannot be asked for"}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		req.SetBasicAuth(u.User.Username(), password)
	}
	req.Header.Set("User-Agent", d.o.UserAgent)
	req.Header.Set("Accept", "*/*")
	req.Header.Set("Accept-Encoding", "identity")
	return d.client.Do(req)
}

// acceptable judges an answer by its head.
func (d *Downloads) acceptable(res *http.Response) error {
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusNonAuthoritativeInfo {
		return badStatus(res)
	}
	if res.ContentLength > d.limit() {
		return d.tooLarge(fmt.Sprintf("it has %d bytes", res.ContentLength))
	}
	return nil
}

func (d *Downloads) tooLarge(what string) error {
	key := d.o.Settings.ItemBytes
	if d.limit() < d.o.ItemBytes {
		key = "attachments.temp_dir_quota_bytes"
	}
	return &Error{Code: attachment.TooLarge, Reason: fmt.Sprintf("%s; a download may have %d (%s)", what, d.limit(), key)}
}

// NameOf is what the file at an address is called: the last part of its path, or
// its host.
func NameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "unnamed"
	}
	base := path.Base(u.Path)
	if base == "." || base == "/" {
		base = u.Hostname()
	}
	return attachment.DisplayName(base)
}
