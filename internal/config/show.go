package config

import (
	"cmp"
	"encoding/json"
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

	kind  kind
	items []string // of a list
}

// Typed is a [Row] for programs: a list is an array, and what has entries by name an object.
// Any other value is the text that is written in a file.
type Typed struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Origin  string `json:"origin"`
	Default any    `json:"default"`
	Doc     string `json:"doc"`
}

// Typed is the row for programs.
func (r Row) Typed() Typed {
	t := Typed{Key: r.Key, Value: r.Value, Origin: r.Origin, Default: r.Default, Doc: r.Doc}
	switch {
	case r.kind&mapping != 0:
		t.Value, t.Default = byName(r.Value), byName(r.Default)
	case r.kind&sequence != 0:
		t.Value, t.Default = r.items, itemsOf(r.Default)
	}
	return t
}

// byName is what the entries by name say that are written as JSON, "" for none.
func byName(text string) json.RawMessage {
	return json.RawMessage(cmp.Or(text, "{}"))
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
		rows[i].items = slices.Clone(rows[i].items)
		for j, item := range rows[i].items {
			rows[i].items[j] = clean.String(item)
		}
	}
	return rows
}

func (b *builder) rows(c *Config) []Row {
	rows := make([]Row, 0, len(b.keys)+3)
	for _, k := range b.keys {
		r := Row{Key: k.name, Value: k.value.String(), Origin: k.origin, Default: k.def, Doc: k.doc, kind: k.value.kind()}
		if l, ok := k.value.(interface{ listed() []string }); ok {
			r.items = append([]string{}, l.listed()...)
		}
		rows = append(rows, r)
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
