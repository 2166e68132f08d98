package snapshot

import (
	"context"

	"belay/internal/fault"
)

// Record is a publication as the audit log has it.
type Record struct {
	// Project is the project's absolute path, Path the snapshot's folder in it, with slashes.
	Project, Path string
	// SHA256 is the hash of the manifest, and so of every file.
	SHA256 string
	Files  int
	Bytes  int64
	By     Author
	// Failed is why it was not published after all.
	Failed string
}

// Author is who publishes, by what the surface knows of them.
type Author struct {
	// Name is a person's, "" where an agent or a workflow publishes.
	Name string
	// Agent, Session and Turn are where an agent publishes; Run is the run of a workflow.
	Agent, Session, Turn, Run string
}

// record puts a publication on record before it happens. Without a record nothing is
// published.
func (p *publisher) record(ctx context.Context, s Snapshot) error {
	if p.o.Record == nil {
		return nil
	}
	if err := p.o.Record(ctx, p.recordOf(s)); err != nil {
		return fault.New(fault.StorageFailure, "the snapshot could not be put on record, so it was not published").Because(err)
	}
	return nil
}

// failed adds to the record that a publication did not happen after all. The error that
// is reported says why; a log that takes no more has no such entry.
func (p *publisher) failed(ctx context.Context, s Snapshot, why error) {
	if p.o.Record == nil {
		return
	}
	r := p.recordOf(s)
	r.Failed = why.Error()
	_ = p.o.Record(context.WithoutCancel(ctx), r)
}

func (p *publisher) recordOf(s Snapshot) Record {
	return Record{Project: p.Root, Path: p.ToolRoot + "/" + s.Name, SHA256: s.SHA256, Files: len(s.Files), Bytes: s.Bytes, By: p.By}
}
