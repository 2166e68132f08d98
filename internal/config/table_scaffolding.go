package config

// Snapshot bounds what is published.
type Snapshot struct {
	Bytes int64
}

// scaffolding are the settings of what belay makes in projects.
func scaffolding(c *Config) []*key {
	return []*key{
		{name: "snapshot.bytes", value: size(&c.Snapshot.Bytes, kib, tib), def: "4GiB",
			doc: "Size of one snapshot.",
			why: "Results are larger, or the disk is small."},
	}
}
