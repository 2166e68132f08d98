package scaffold

import (
	"context"
	"os"
	"path"

	"golang.org/x/sync/errgroup"

	"belay/internal/crash"
	"belay/internal/durable"
)

// makeUnits makes the deliverables, several at a time.
func (m *scaffolding) makeUnits(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(workers)
	for _, u := range m.p.units {
		all.Go(crash.Caught(func() error { return m.unit(ctx, u) }))
	}
	return all.Wait()
}

// unit makes a deliverable's folder and the files in it, in their order.
func (m *scaffolding) unit(ctx context.Context, u unit) error {
	if len(u.steps) > 0 && u.steps[0].data == nil {
		if err := m.step(ctx, m.p.root, u.steps[0], u.steps[0].path); err != nil {
			return err
		}
		u.steps = u.steps[1:]
	}
	if len(u.steps) == 0 {
		return nil
	}
	at := path.Dir(u.steps[0].path)
	dir, err := m.p.root.OpenRoot(at)
	if err != nil {
		return m.p.fail(CreateDeliverable, at, err)
	}
	defer dir.Close()
	return m.files(ctx, dir, u.steps)
}

// files makes files of one folder. All are on disk before the first has its name,
// and they get their names in their order.
func (m *scaffolding) files(ctx context.Context, dir *os.Root, steps []step) error {
	drafts := make([]*draft, len(steps))
	var written []durable.Syncer
	err, at := error(nil), 0
	for i, s := range steps {
		if drafts[i], err = newDraft(dir, path.Base(s.path), s.data); err != nil {
			at = i
			break
		}
		if drafts[i] != nil {
			written = append(written, drafts[i].file)
		}
	}
	if err == nil {
		err = m.disk.Commit(ctx, written...)
	}
	for i, d := range drafts {
		if d == nil {
			continue
		}
		made, e := d.publish(err)
		if err == nil && e != nil {
			err, at = e, i
		}
		if made {
			m.made(steps[i].path)
		}
	}
	if err == nil || isCanceled(err) {
		return err
	}
	return m.p.fail(CreateDeliverable, steps[at].path, err)
}
