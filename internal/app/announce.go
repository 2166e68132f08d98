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
	// store keeps contents by their hash; done is called when that is over.
	store func() (s *session.Store, done func() error, err error)
	// most is the largest file that is kept, in bytes.
	most int64
}

// announcer is that of a process with all rooms.
func (a *App) announcer() announcer {
	return announcer{
		gate: a.shell, most: a.Config.Tools.KeepBytes,
		store: func() (*session.Store, func() error, error) { return a.Store, func() error { return nil }, nil },
	}
}

// newAnnouncer is that of a command that needs no other rooms.
func newAnnouncer(cfg *config.Config) announcer {
	return announcer{gate: shell.New(shellOptions(cfg)), most: cfg.Tools.KeepBytes, store: func() (*session.Store, func() error, error) {
		o := storeOptions(cfg)
		o.Clock = time.Now
		s, err := session.NewStore(o)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	}}
}

// enter goes through the gate.
func (a announcer) enter(ctx context.Context, project string) (tool.Pass, error) {
	pass, err := a.gate.Enter(ctx, project)
	if refusal, ok := tool.AsRefusal(err); ok {
		return nil, fault.New(fault.Overloaded, "%s", refusal.Reason).Because(err)
	}
	return pass, err
}

// announce implements [workspace.Announce]. The contents are kept where a command
// runs: what that makes of the file is taken back to them.
func (a announcer) announce(ctx context.Context, w workspace.Write) (done func(written bool), err error) {
	pass, err := a.enter(ctx, w.Project)
	if err != nil {
		return nil, err
	}
	leave := func() { _ = pass.Leave() } // closing the lock frees it in any case
	if !pass.Heard() {
		return func(bool) { leave() }, nil
	}
	before, after, err := a.kept(ctx, w)
	if err == nil {
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

// kept keeps what a file holds and is to hold, and is the changes to these.
func (a announcer) kept(ctx context.Context, w workspace.Write) (before, after session.Change, err error) {
	before, after = session.Change{Path: w.Path}, session.Change{Path: w.Path}
	err = a.keep(w.Project, func(blobs *session.Blobs) error {
		for c, data := range map[*session.Change][]byte{&before: w.Before, &after: w.After} {
			if data == nil {
				continue // there is no file
			}
			sha, _, err := blobs.Put(ctx, bytes.NewReader(data), int64(len(data)))
			if err != nil {
				return err
			}
			c.After, c.AfterBytes, c.AfterMode = sha, int64(len(data)), w.Mode
		}
		return nil
	})
	return before, after, err
}

// keep opens the project's contents for put.
func (a announcer) keep(project string, put func(*session.Blobs) error) error {
	store, done, err := a.store()
	if err != nil {
		return err
	}
	blobs, err := store.Blobs(project)
	if err == nil {
		err = put(blobs)
	}
	return errors.Join(err, done())
}
