package config

import (
	"slices"

	"belay/internal/redact"
)

// Row is one setting as `belay config show` prints it.
type Row struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Origin is "default", "flag --name", "env NAME" or "file:line".
	Origin  string `json:"origin"`
	Default string `json:"default"`
	Doc     string `json:"doc"`
}

// Show lists every setting in the order of the reference page, then whether each
// API key is set. The values of keys are never part of it, nor those in addresses.
func (c *Config) Show() []Row {
	keys := make([]string, len(c.Keys.All))
	for i, k := range c.Keys.All {
		keys[i] = k.Reveal()
	}
	clean := redact.New(keys...)
	rows := slices.Clone(c.rows)
	for i := range rows {
		rows[i].Value = clean.String(rows[i].Value)
	}
	return rows
}

func (b *builder) rows(c *Config) []Row {
	rows := make([]Row, 0, len(b.keys)+3)
	for _, k := range b.keys {
		rows = append(rows, Row{Key: k.name, Value: k.value.String(), Origin: k.origin, Default: k.def, Doc: k.doc})
	}
	for _, k := range []struct {
		row    Row
		secret Secret
	}{
		{Row{Key: "anthropic.api_key", Doc: "API key of the Anthropic provider, from the environment only: ANTHROPIC_API_KEY, else CHIRALITY_ANTHROPIC_API_KEY."}, c.Keys.Anthropic},
		{Row{Key: "openai.api_key", Doc: "API key of the OpenAI provider, from the environment only: OPENAI_API_KEY."}, c.Keys.OpenAI},
		{Row{Key: "discord.token", Doc: "Token of a Discord bot, from the environment only: BELAY_DISCORD_TOKEN. With it serve answers in Discord."}, c.Keys.Discord},
	} {
		k.row.Value, k.row.Origin = k.secret.String(), "default"
		if k.secret.Set() {
			k.row.Origin = "env " + k.secret.origin
		}
		rows = append(rows, k.row)
	}
	return rows
}
