package snapshot

// Record is a publication as the audit log has it.
type Record struct {
	// Project is the project's absolute path, Path the snapshot's folder in it, with slashes.
	Project, Path string
	// SHA256 is the hash of the manifest, and so of every file.
	SHA256 string
	Files  int
	Bytes  int64
	By     Author
}

// Author is who publishes, by what the surface knows of them.
type Author struct {
	// Name is a person's, "" where an agent or a workflow publishes.
	Name string
	// Agent, Session and Turn are where an agent publishes; Run is the run of a workflow.
	Agent, Session, Turn, Run string
}

func (p *publisher) record(s Snapshot) Record {
	return Record{Project: p.Root, Path: p.ToolRoot + "/" + s.Name, SHA256: s.SHA256, Files: len(s.Files), Bytes: s.Bytes, By: p.By}
}
