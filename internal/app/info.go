package app

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"belay/internal/api"
	"belay/internal/model"
	"belay/internal/model/anthropic"
	"belay/internal/model/openai"
	"belay/internal/model/scripted"
	"belay/internal/permit"
	"belay/internal/turn"
)

// offlineName is what people are shown as the name of the scripted provider and its model.
const offlineName = "scripted (offline)"

// Models lists the models that are known of the provider, and those of the settings.
func Models(a *App) (api.ModelList, error) {
	cfg := a.Config
	usual, err := usualModel(a)
	if err != nil {
		return api.ModelList{}, err
	}
	list := api.ModelList{Default: usual}
	ids := []string{usual}
	switch cfg.Provider {
	case scripted.Name:
		ids = []string{scripted.Name}
	case anthropic.Name:
		ids = append(ids, slices.DeleteFunc(slices.Collect(maps.Keys(model.Anthropic().Models)), model.Retired)...)
	case openai.Name:
		if openai.Own(cfg.OpenAI.BaseURL) {
			ids = append(ids, slices.Collect(maps.Keys(model.OpenAI().Models))...)
		}
	}
	if cfg.Provider != scripted.Name {
		ids = append(ids, slices.Collect(maps.Keys(cfg.Models))...)
	}
	slices.Sort(ids)
	known := prices(cfg)
	for _, id := range slices.Compact(ids) {
		l := a.provider.Limits(id)
		m := api.ModelInfo{
			ID: id, Name: id, Provider: cfg.Provider, ContextTokens: l.ContextTokens, OutputTokens: l.OutputTokens,
			Images: len(l.Attachments.ImageTypes) > 0, PDF: l.Attachments.PDF, Assumed: l.Assumed,
		}
		if cfg.Provider == scripted.Name {
			m.Name = offlineName
		}
		if p, ok := known.Price(id); ok {
			m.Price = &p
		}
		list.Models = append(list.Models, m)
	}
	return list, nil
}

// usualModel is the model of turns that name none, in a project without rules of its own.
func usualModel(a *App) (string, error) {
	if a.Config.Provider == scripted.Name {
		return scripted.Name, nil
	}
	global, err := a.Root.GlobalModel()
	return strings.TrimSpace(cmp.Or(a.Config.Model, global, defaultModel(a.Config))), err
}

// UsualModel is the model of turns that name none, "" where that is not known.
func UsualModel(a *App) string {
	name, err := usualModel(a)
	if err != nil {
		return ""
	}
	return name
}

// info is what clients have to know of a server.
func info(a *App) (api.SystemInfo, error) {
	cfg := a.Config
	usual, err := usualModel(a)
	if err != nil {
		return api.SystemInfo{}, err
	}
	i := api.SystemInfo{
		Provider: cfg.Provider, ProviderName: cfg.Provider, DefaultModel: usual, DefaultMode: turn.DefaultMode, DefaultPersona: turn.DefaultPersona,
		Modes: permit.ModeNames(),
		Limits: api.InfoLimits{
			MessageBytes: turn.MaxMessageBytes, AttachmentBytes: cfg.Attachments.FileBytes, TurnAttachmentBytes: cfg.Attachments.TurnBytes,
			MaxAttachments: cfg.Attachments.MaxItems, AttachmentExtensions: slices.Sorted(slices.Values(cfg.Attachments.Extensions)),
		},
		Features: map[string]bool{
			"bash": cfg.Bash.Enabled, "discord": cfg.Keys.Discord.Set(), "bus": cfg.RunsBus(), "subagents": cfg.Subagents.Enabled,
			"anyProject": projectRoots(cfg) == nil,
		},
	}
	if cfg.Provider == scripted.Name {
		i.ProviderName = offlineName
	}
	return i, nil
}
