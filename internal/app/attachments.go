package app

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
	"belay/internal/attachment/gather"
	"belay/internal/config"
	"belay/internal/netguard"
	"belay/internal/turn"
)

// openGatherer builds what opens and fetches the attachments of workflows.
func (a *App) openGatherer(cfg *config.Config) (err error) {
	if a.downloads, err = NewDownloads(cfg); err != nil {
		return err
	}
	if err := a.downloads.Sweep(); err != nil {
		a.log.Warn("downloads of processes that are gone could not be removed", "error", err)
	}
	o := gatherOptions(cfg)
	o.Downloads = a.downloads
	a.gatherer = gather.New(o)
	return nil
}

// NewDownloads builds what fetches attachments by their address; the caller closes
// it.
func NewDownloads(cfg *config.Config) (*download.Downloads, error) {
	return download.New(downloadOptions(cfg))
}

// downloadRetries is how often a download is tried again, where the task that wants it
// does not say more.
const downloadRetries = 2

func downloadOptions(cfg *config.Config) download.Options {
	d := cfg.Attachments.Declared
	return download.Options{
		Dir: filepath.Join(cfg.Paths.CacheDir, "downloads"), Policy: attachmentPolicy(cfg), UserAgent: d.UserAgent,
		ItemBytes: d.DownloadBytes, TempBytes: d.TempBytes, Timeout: d.DownloadTimeout, Retries: downloadRetries,
	}
}

// receiveOptions are those of what fetches the files that people sent. It shares the folder
// of all downloads.
func receiveOptions(cfg *config.Config) download.Options {
	o := downloadOptions(cfg)
	o.ItemBytes, o.TempBytes = cfg.Tools.ReceiveFileBytes, 0
	o.Settings = download.Settings{ItemBytes: "tools.receive_file_bytes", Hosts: "tools.receive_hosts"}
	local := slices.ContainsFunc(cfg.Tools.ReceiveHosts, func(entry string) bool {
		host, _, err := netguard.ParseHost(entry)
		return err == nil && netguard.IsLoopback(host)
	})
	o.Policy = netguard.Policy{
		AllowedHosts: cfg.Tools.ReceiveHosts, MaxRedirects: cfg.Attachments.Declared.MaxRedirects,
		AllowLoopback: local, AllowHTTPOnLoopback: local,
	}
	return o
}

// attachmentPolicy says what workflows may attach by its address. The strict policy
// knows neither plain http nor internal hosts.
func attachmentPolicy(cfg *config.Config) netguard.Policy {
	d := cfg.Attachments.Declared
	p := netguard.Policy{AnyPort: true, MaxRedirects: d.MaxRedirects}
	if !d.Strict {
		p.AllowHTTP, p.Internal = true, d.AllowedHosts
	}
	return p
}

func gatherOptions(cfg *config.Config) gather.Options {
	d := cfg.Attachments.Declared
	return gather.Options{
		MaxItems: cfg.Attachments.MaxItems, TaskBytes: d.TaskBytes,
		Terms: attachment.Terms{
			FileBytes: d.DownloadBytes,
			Types: map[attachment.Kind][]string{
				attachment.KindImage: d.Types.Image, attachment.KindAudio: d.Types.Audio, attachment.KindVideo: d.Types.Video,
				attachment.KindPDF: d.Types.PDF, "": d.Types.File, attachment.KindURL: d.Types.URL,
			},
		},
	}
}

// InspectAddress says what a workflow would make of what is at an address, whatever
// its type is, and how a model would get it.
func (a *App) InspectAddress(ctx context.Context, address, model string) (turn.Inspection, error) {
	file := &declared.Attachment{Type: declared.TypeFile, Source: declared.Source{URL: address}, Optional: true}
	var report gather.Report
	found, err := a.Engine.InspectItems(ctx, turn.Choice{Model: model}, func(blobs attachment.BlobStore) ([]attachment.Item, error) {
		r, err := a.gatherer.Gather(ctx, nil, []*declared.Attachment{file}, blobs)
		if err == nil {
			report = r.Reports[0]
		}
		return r.Items, err
	})
	switch {
	case err != nil:
		return turn.Inspection{}, err
	case len(found) == 0:
		return turn.Inspection{Path: report.Origin, Code: report.Code, Reason: report.Refused}, nil
	}
	notes := append(report.Warnings, found[0].Note)
	found[0].Note = strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
	return found[0], nil
}

// MatchLimit is how many files one pattern may match.
func (a *App) MatchLimit() int { return matchLimit(a.Config) }

// matchLimit is how many files one pattern may match.
func matchLimit(cfg *config.Config) int { return cfg.Attachments.Declared.MaxMatches }
