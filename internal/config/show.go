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

// Show lists every setting in the order of the reference page.
func (c *Config) Show() []Row { return c.rows }
