package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/api"
	"belay/internal/attachment"
	"belay/internal/bus"
	"belay/internal/config"
	"belay/internal/model"
	"belay/internal/model/anthropic"
	"belay/internal/model/openai"
	"belay/internal/model/scripted"
	"belay/internal/model/upstream"
	"belay/internal/session"
	"belay/internal/tool/risk"
	"belay/internal/turn"
)

// What each package gets of the settings. The callers add what is no setting: other
// parts, clocks, loggers.

func storeOptions(cfg *config.Config) session.Options {
	return session.Options{
		StateDir: cfg.Paths.StateDir, SessionRoot: cfg.SessionRoot, HomeProject: projectFolder(cfg),
		SegmentBytes: cfg.Log.SegmentBytes, IdleMax: idleMax(openFileLimit()),
	}
}

// idleMax is how many sessions that nobody uses may keep their files open: no more
// than half of the files that the process may open (0: not known). The other half is
// for connections, turns and commands.
func idleMax(limit int) int {
	if limit <= 0 {
		return session.DefaultIdleMax
	}
	return max(1, min(session.DefaultIdleMax, limit/2/session.FilesPerSession))
}

func retention(cfg *config.Config) session.GCOptions {
	return session.GCOptions{LogAge: cfg.Log.Retention, BlobAge: cfg.Blobs.Retention}
}

func plannerOptions(cfg *config.Config, log *slog.Logger) attachment.PlannerOptions {
	c := cfg.Attachments
	return attachment.PlannerOptions{
		CacheDir: filepath.Join(cfg.Paths.CacheDir, "renditions"), PDFInterpreted: c.PDFInterpreted,
		PDFTextChars: c.Declared.PDFChars, TextBytes: c.Declared.TextPartBytes, Logger: log,
	}
}

func engineOptions(cfg *config.Config) (turn.Options, error) {
	r, err := rules(cfg)
	home, _ := os.UserHomeDir() // without one, there is no configuration of git in it
	return turn.Options{
		Prices: prices(cfg), Rules: r, ScratchDir: scratchDir(cfg), SearchPath: os.Getenv("PATH"), GitConfigs: risk.GitConfigs(os.Getenv, home), ReadPaths: cfg.Bash.ReadPaths, GlobalModel: cfg.Model,
		OwnSkills: cfg.Paths.ConfigDir,
		OwnNotes:  cfg.Paths.ConfigDir,
	}, err
}

func retryPolicy(cfg *config.Config) model.RetryPolicy {
	return model.RetryPolicy{Attempts: cfg.Retry.Attempts, Base: model.RetryBase, Max: cfg.Retry.Max}
}

func anthropicOptions(cfg *config.Config) anthropic.Options {
	c := cfg.Anthropic
	return anthropic.Options{
		Options: upstream.Options{BaseURL: c.BaseURL, AllowedHosts: cfg.Network.AllowedHosts, Proxy: cfg.Network.Proxy, MaxTokens: c.MaxTokens, Effort: cfg.Effort},
		Version: c.Version, Catalog: corrected(model.Anthropic(), cfg),
	}
}

func openaiOptions(cfg *config.Config) openai.Options {
	c := cfg.OpenAI
	return openai.Options{
		Options:       upstream.Options{BaseURL: c.BaseURL, AllowedHosts: cfg.Network.AllowedHosts, Proxy: cfg.Network.Proxy, MaxTokens: c.MaxTokens, Effort: cfg.Effort},
		ContextTokens: c.ContextTokens, ImageModels: c.ImageModels, Overrides: overrides(cfg),
	}
}

// defaultModel is the model of turns that nothing else names one for. OpenAI has
// none of Anthropic's models, one of which is the default's default. The scripted
// provider is no model but itself.
func defaultModel(cfg *config.Config) string {
	if cfg.Provider == scripted.Name {
		return scripted.Name
	}
	if cfg.Provider == openai.Name && cfg.OpenAI.Model != "" && strings.HasPrefix(cfg.DefaultModel, "claude-") {
		return cfg.OpenAI.Model
	}
	return cfg.DefaultModel
}

func scriptedOptions(cfg *config.Config) scripted.Options {
	return scripted.Options{Pace: cfg.Scripted.Pace, Catalog: corrected(scripted.Catalog(), cfg)}
}

func handlerOptions(cfg *config.Config) api.Options {
	return api.Options{
		AllowedHosts: cfg.Server.AllowedHosts, OwnUser: cfg.Loopback() && !cfg.TrustLoopback,
		UploadBytes: cfg.Attachments.UploadBytes,
	}
}

func serveOptions(cfg *config.Config) api.ServeOptions {
	return api.ServeOptions{Grace: cfg.Server.ShutdownGrace}
}

func busOptions(cfg *config.Config) bus.Options {
	return bus.Options{Dir: filepath.Join(cfg.Paths.StateDir, "bus")}
}
