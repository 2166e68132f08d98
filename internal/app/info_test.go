package app

import (
	"slices"
	"testing"

	"belay/internal/api"
	"belay/internal/model"
)

// The models are those of the provider, and the scripted one has a name that nobody takes
// for a model's.
func TestModels(t *testing.T) {
	t.Parallel()
	a, _ := opened(t, "")
	list, err := Models(a)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Models) != 1 || list.Default != "scripted" || list.Models[0].Name != "scripted (offline)" || list.Models[0].ContextTokens == 0 {
		t.Errorf("%+v", list)
	}
	known, err := info(a)
	if err != nil {
		t.Fatal(err)
	}
	if known.ProviderName != "scripted (offline)" || known.DefaultMode != "direct" || !known.Features["bash"] || known.Limits.MaxAttachments == 0 ||
		!slices.Contains(known.Limits.AttachmentExtensions, ".md") {
		t.Errorf("%+v", known)
	}
	a, _ = opened(t, "provider: anthropic")
	if list, err = Models(a); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Models, func(m api.ModelInfo) bool { return m.ID == "claude-sonnet-4-5" })
	if i < 0 || list.Models[i].Price == nil || list.Models[i].Price.Input != 3 || !list.Models[i].Images || list.Models[i].Provider != "anthropic" {
		t.Errorf("%+v", list)
	}
	if slices.ContainsFunc(list.Models, func(m api.ModelInfo) bool { return model.Retired(m.ID) }) {
		t.Errorf("a model is offered that is no more: %+v", list)
	}
	if !slices.ContainsFunc(list.Models, func(m api.ModelInfo) bool { return m.ID == list.Default }) {
		t.Errorf("the default %q is not among the models", list.Default)
	}
}
