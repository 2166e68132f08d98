package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/plainjson"
	"belay/internal/turn"
	"belay/internal/workspace"
)

// Sent is the request that began a run: a caller that did not see the answer sends it again
// under the same key, and gets the run that there is.
type Sent struct {
	Key string `json:"key"`
	// Digest is that of the request's content and of the workflow file as it was.
	Digest string `json:"digest"`
}

// once begins a run under the request's key, or returns the one that was begun under it in
// the last [turn.IdempotencyTTL]. IDEMPOTENCY_CONFLICT where that was another request.
func once(ctx context.Context, r *Runner, req Request) (s Summary, err error) {
	w, at, err := r.begin(ctx, req)
	if err != nil {
		return s, err
	}
	if err := at.Close(); err != nil {
		return s, err
	}
	sent, err := req.sent(w.sum())
	if err != nil {
		return s, err
	}
	lock, err := r.state.starting(ctx, req)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, lock.Remove()) }()
	earlier, err := begunBy(ctx, r, req.Project, sent.Key)
	switch {
	case err != nil:
		return s, err
	case earlier == nil:
		return start(ctx, r, req, sent)
	case earlier.Sent.Digest != sent.Digest:
		return s, fault.New(fault.IdempotencyConflict, "Idempotency-Key %q was used for another run of this project", sent.Key).With("runId", earlier.ID)
	}
	return r.now(earlier.Summary, req.Project), nil
}

// sent is what is kept of a request that has a key; workflow is the digest of its file.
func (req Request) sent(workflow string) (*Sent, error) {
	key := req.Key
	req.Key = ""
	data, err := plainjson.Marshal([]any{req, workflow})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	return &Sent{Key: key, Digest: hex.EncodeToString(sum[:])}, nil
}

// begunBy is the run that a key began, nil where none did. The ids of runs sort by time: the
// search ends at the first run that is too old.
func begunBy(ctx context.Context, r *Runner, project, key string) (*Record, error) {
	p, err := workspace.OpenProject(project)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	ids, err := runIDs(p)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		record, err := readRecord(project, id)
		switch {
		case fault.Is(err, fault.WorkingRootInaccessible), fault.IsShortage(err):
			return nil, err
		case err != nil:
			continue // it did not begin, or a person has damaged its record
		case r.o.Clock().Sub(record.StartedAt) > turn.IdempotencyTTL:
			return nil, nil
		case record.Sent != nil && record.Sent.Key == key:
			return &record, nil
		}
	}
	return nil, nil
}

// starting takes the lock of the starts with the request's key in its project, of all
// processes. It is in the operator's folder.
func (s state) starting(ctx context.Context, req Request) (*durable.FileLock, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, storage("the state folder cannot be written", err)
	}
	sum := sha256.Sum256([]byte(req.Project + "\x00" + req.Key))
	path := filepath.Join(s.dir, "starting-"+hex.EncodeToString(sum[:16])+".lock")
	l, err := durable.WaitLock(ctx, path)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, storage("the start of the run cannot be locked", err)
	}
	return l, nil
}
