package app

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"belay/internal/api"
)

// The models are those of the provider, and the scripted one has a name that nobody takes
// for a model's.
func TestModels(t *testing.T) {
	t.Parallel()
	a := opened(t, "")
	list, err := a.models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Models) != 1 || list.Default != "scripted" || list.Models[0].Name != "scripted (offline)" || list.Models[0].ContextTokens == 0 {
		t.Errorf("%+v", list)
	}
	info, err := a.info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.ProviderName != "scripted (offline)" || info.DefaultMode != "direct" || !info.Features["bash"] || info.Limits.MaxAttachments == 0 ||
		!slices.Contains(info.Limits.AttachmentExtensions, ".md") {
		t.Errorf("%+v", info)
	}
	a = opened(t, "provider: anthropic")
	if list, err = a.models(t.Context()); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Models, func(m api.ModelInfo) bool { return m.ID == "claude-sonnet-4-5" })
	if i < 0 || list.Models[i].Price == nil || list.Models[i].Price.Input != 3 || !list.Models[i].Images || list.Models[i].Provider != "anthropic" {
		t.Errorf("%+v", list)
	}
	if !slices.ContainsFunc(list.Models, func(m api.ModelInfo) bool { return m.ID == list.Default }) {
		t.Errorf("the default %q is not among the models", list.Default)
	}
}

// opened are the parts of a configuration in folders of its own.
func opened(t *testing.T, yaml string) *App {
	t.Helper()
	cfg := load(t, yaml)
	cfg.Paths.StateDir, cfg.Paths.CacheDir = t.TempDir(), t.TempDir()
	a, err := Open(cfg, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a
}
