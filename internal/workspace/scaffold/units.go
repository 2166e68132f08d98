package scaffold

import (
	"context"
	"os"
	"path"
	"slices"
	"sync"

	"belay/internal/durable"
)

// makeUnits makes the deliverables. The first that fails, in their order, is the
// one to tell.
func (m *maker) makeUnits(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(m.p.units))
	next := make(chan int)
	var all sync.WaitGroup
	for range min(workers, len(m.p.units)) {
		all.Go(func() {
			for i := range next {
				if errs[i] = m.unit(ctx, m.p.units[i]); errs[i] != nil {
					stop()
				}
			}
		})
	}
	for i := range m.p.units {
		next <- i
	}
	close(next)
	all.Wait()
	for _, err := range errs {
		if err != nil && !isCanceled(err) {
			return err
		}
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// unit makes a deliverable's folder and the files in it, in their order.
func (m *maker) unit(ctx context.Context, u unit) error {
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
func (m *maker) files(ctx context.Context, dir *os.Root, steps []step) error {
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
