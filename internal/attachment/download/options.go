package download

import (
	"cmp"
	"context"
	"time"

	"belay/internal/netguard"
)

// Options configure [Downloads].
type Options struct {
	// Dir is the folder in which each process makes its own; it is made when it is
	// needed.
	Dir string
	// Policy says what may be reached, and how many redirects are followed.
	Policy netguard.Policy
	// UserAgent is the header of that name.
	UserAgent string
	// ItemBytes caps one download; 0 means 10 MB. TempBytes caps all files that are
	// there at one time: a download waits until there is room for the largest that it
	// may become. 0 is no limit.
	ItemBytes, TempBytes int64
	// Timeout bounds one try of a download from the request to its last byte, 0 means
	// 30 s.
	Timeout time.Duration
	// Retries is how often a download is tried again that failed for what may pass: an
	// answer such as 503, a timeout, a connection that broke, a body that ends too early.
	Retries int
	// Wait waits before a retry; nil waits for that long, or until ctx ends.
	Wait func(ctx context.Context, delay time.Duration) error
	// Parallel is how many are under way at one time, 0 means 8.
	Parallel int
	// Settings are the names that errors call the limits by.
	Settings Settings
}

// Settings are the names of the settings that set the limits of downloads. The zero value
// names those of attachments of workflows.
type Settings struct {
	// ItemBytes sets [Options.ItemBytes]. Hosts lists all hosts that are reached, where
	// that is so.
	ItemBytes, Hosts string
}

func (o Options) withDefaults() Options {
	o.ItemBytes = cmp.Or(o.ItemBytes, 10_000_000)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Parallel = cmp.Or(o.Parallel, 8)
	if o.Wait == nil {
		o.Wait = wait
	}
	o.Settings.ItemBytes = cmp.Or(o.Settings.ItemBytes, "attachments.max_download_size_bytes")
	return o
}
