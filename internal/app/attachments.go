package app

import (
	"path/filepath"

	"belay/internal/attachment"
	"belay/internal/attachment/download"
	"belay/internal/attachment/gather"
	"belay/internal/config"
	"belay/internal/netguard"
)

// openGatherer builds what opens and fetches the attachments of workflows.
func (a *App) openGatherer(cfg *config.Config) (err error) {
	if a.downloads, err = download.New(downloadOptions(cfg)); err != nil {
		return err
	}
	o := gatherOptions(cfg)
	o.Downloads = a.downloads
	a.gatherer = gather.New(o)
	return nil
}

func downloadOptions(cfg *config.Config) download.Options {
	d := cfg.Attachments.Declared
	return download.Options{
		Dir: filepath.Join(cfg.Paths.CacheDir, "downloads"), Policy: attachmentPolicy(cfg), UserAgent: d.UserAgent,
		ItemBytes: d.DownloadBytes, TempBytes: d.TempBytes, Timeout: d.DownloadTimeout, Parallel: d.MaxParallel,
	}
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
			FileBytes: d.DownloadBytes, HeadBytes: d.HeadBytes,
			Types: map[attachment.Kind][]string{
				attachment.KindImage: d.Types.Image, attachment.KindAudio: d.Types.Audio, attachment.KindVideo: d.Types.Video,
				attachment.KindPDF: d.Types.PDF, "": d.Types.File, attachment.KindURL: d.Types.URL,
			},
		},
	}
}

// matchLimit is how many files one pattern may match.
func matchLimit(cfg *config.Config) int { return cfg.Attachments.Declared.MaxMatches }
