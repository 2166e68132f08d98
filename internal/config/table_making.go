package config

// Scaffold bounds what an execution root is made of.
type Scaffold struct {
	DecompositionBytes int64
}

// Snapshot bounds what is published.
type Snapshot struct {
	Files int
	Bytes int64
}

// making are the settings of what belay makes in projects.
func making(c *Config) []*key {
	return []*key{
		{name: "scaffold.decomposition_bytes", value: size(&c.Scaffold.DecompositionBytes, kib, 256*mib), def: "8MiB",
			doc: "Largest decomposition document that a root is made of."},
		{name: "snapshot.files", value: count(&c.Snapshot.Files, 1, 10_000_000), def: "100000",
			doc: "Files of one snapshot."},
		{name: "snapshot.bytes", value: size(&c.Snapshot.Bytes, kib, tib), def: "4GiB",
			doc: "Size of one snapshot."},
	}
}
