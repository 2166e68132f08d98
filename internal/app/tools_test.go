package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"belay/internal/config"
	"belay/internal/permit"
)

// The settings know the tools that rules may name: a rule of a tool that they do not
// know is refused, and one of a tool that there is not would permit or deny nothing.
func TestTheSettingsKnowEachTool(t *testing.T) {
	t.Parallel()
	cfg := load(t, "")
	home := t.TempDir()
	cfg.Paths.StateDir, cfg.Paths.CacheDir = filepath.Join(home, "state"), filepath.Join(home, "cache")
	a, err := Open(cfg, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	have, err := a.Engine.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Sorted(slices.Values(config.ToolNames))
	models := slices.Sorted(slices.Values(config.ModelTools()))
	if slices.Sort(have); !slices.Equal(have, models) {
		t.Errorf("the engine has %q, the settings know %q for models", have, models)
	}
	have = append(have, permit.NetworkTool, permit.PortsTool)
	if slices.Sort(have); !slices.Equal(have, known) {
		t.Errorf("the engine has %q, the settings know %q", have, known)
	}
}
