package app

import (
	"bytes"
	"context"
	"errors"
	"time"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/shell"
	"belay/internal/workspace"
)

// announcer tells commands that run in a project what belay itself writes there
// meanwhile, for people and other agents.
type announcer struct {
	gate tool.Gate
	// keep stores a content of a project under its hash.
	keep func(ctx context.Context, project string, data []byte) (sha256 string, err error)
}

// announces is the announcer of a process with all rooms.
func (a *App) announces() workspace.Announce {
	return announcer{gate: a.shell, keep: func(ctx context.Context, project string, data []byte) (string, error) {
		return keepBlob(ctx, a.Store, project, data)
	}}.announce
}

// announces is the announcer of a command that needs no other rooms.
func announces(cfg *config.Config) workspace.Announce {
	return announcer{gate: shell.New(shellOptions(cfg)), keep: func(ctx context.Context, project string, data []byte) (string, error) {
		o := storeOptions(cfg)
		o.Clock = time.Now
		store, err := session.NewStore(o)
		if err != nil {
			return "", err
		}
		sha, err := keepBlob(ctx, store, project, data)
		return sha, errors.Join(err, store.Close())
	}}.announce
}

func keepBlob(ctx context.Context, store *session.Store, project string, data []byte) (sha256 string, err error) {
	blobs, err := store.Blobs(project)
	if err != nil {
		return "", err
	}
	sha256, _, err = blobs.Put(ctx, bytes.NewReader(data), int64(len(data)))
	return sha256, err
}

// announce implements [workspace.Announce]. The contents are kept where a command
// runs: what that makes of the file is taken back to them.
func (a announcer) announce(ctx context.Context, w workspace.Write) (done func(written bool), err error) {
	pass, err := a.gate.Enter(ctx, w.Project)
	if refusal, ok := tool.AsRefusal(err); ok {
		return nil, fault.New(fault.Overloaded, "%s", refusal.Reason).Because(err)
	}
	if err != nil {
		return nil, err
	}
	leave := func() { _ = pass.Leave() } // closing the lock frees it in any case
	if !pass.Heard() {
		return func(bool) { leave() }, nil
	}
	before, err := a.kept(ctx, w, w.Before)
	after, e := a.kept(ctx, w, w.After)
	if err = errors.Join(err, e); err == nil {
		err = pass.Tell(after)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return func(written bool) {
		if !written {
			_ = pass.Tell(before) // without it the write counts as still to be made
		}
		leave()
	}, nil
}

// kept keeps a content of a file, nil for none, and is the change to it.
func (a announcer) kept(ctx context.Context, w workspace.Write, data []byte) (session.Change, error) {
	c := session.Change{Path: w.Path}
	if data == nil {
		return c, nil
	}
	sha, err := a.keep(ctx, w.Project, data)
	c.After, c.AfterBytes, c.AfterMode = sha, int64(len(data)), w.Mode
	return c, err
}
