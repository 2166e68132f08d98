package config

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
// API key is set. The values of keys are never part of it.
func (c *Config) Show() []Row { return c.rows }

func (b *builder) rows(c *Config) []Row {
	rows := make([]Row, 0, len(b.keys)+1)
	for _, k := range b.keys {
		rows = append(rows, Row{Key: k.name, Value: k.value.String(), Origin: k.origin, Default: k.def, Doc: k.doc})
	}
	key := Row{
		Key: "anthropic.api_key", Value: c.Keys.Anthropic.String(), Origin: "default",
		Doc: "API key of the Anthropic provider, from the environment only: ANTHROPIC_API_KEY, else CHIRALITY_ANTHROPIC_API_KEY.",
	}
	if c.Keys.Anthropic.Set() {
		key.Origin = "env " + c.Keys.Anthropic.origin
	}
	return append(rows, key)
}
