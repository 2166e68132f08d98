package app

import (
	"context"
	"errors"

	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/workspace/snapshot"
)

// publishes implements [snapshot.Gate].
func (a announcer) publishes(ctx context.Context, project string) (snapshot.Pass, error) {
	pass, err := a.enter(ctx, project)
	if err != nil {
		return nil, err
	}
	return publishing{a, project, pass}, nil
}

// publishing is the pass of a snapshot that is published.
type publishing struct {
	announcer
	project string
	pass    tool.Pass
}

// Tell implements [snapshot.Pass]. The contents are kept where a command runs: what
// that makes of the files is taken back to them.
func (p publishing) Tell(ctx context.Context, made []snapshot.Made) error {
	if !p.pass.Heard() {
		return nil
	}
	changes := make([]session.Change, 0, len(made))
	err := p.keep(p.project, func(blobs *session.Blobs) error {
		for _, m := range made {
			changes = append(changes, session.Change{Path: m.Path, After: m.SHA256, AfterBytes: m.Bytes, AfterMode: m.Mode})
			if m.Mode.IsDir() || m.Bytes > p.most {
				continue
			}
			content, err := m.Open()
			if err != nil {
				return err
			}
			_, _, err = blobs.Put(ctx, content, p.most)
			if err = errors.Join(err, content.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.pass.Tell(changes...)
}

// Leave implements [snapshot.Pass].
func (p publishing) Leave() error { return p.pass.Leave() }
