package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
)

// Sweep removes what nobody needs any more: what was kept by processes that died,
// projects that are gone, findings of sessions that are not known, and versions of
// restored files that were put aside longer ago than age, unless that is 0. What
// a command left whose process died stays until its session, or the next command
// in the project, has settled it.
func (w *Watcher) Sweep(ctx context.Context, age time.Duration, known func(sessionID string) bool) error {
	errs := []error{
		w.each(ctx, asideDir, func(path string, info fs.FileInfo) error {
			if age <= 0 || w.o.Clock().Sub(info.ModTime()) < age {
				return nil
			}
			return os.RemoveAll(path)
		}),
		w.each(ctx, foundDir, func(path string, _ fs.FileInfo) error {
			if known(filepath.Base(path)) {
				return nil
			}
			return os.RemoveAll(path)
		}),
		w.each(ctx, projectsDir, func(path string, _ fs.FileInfo) error { return w.sweepProject(path) }),
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sweep what was kept of projects: %w", err)
	}
	return nil
}

// each calls f for all that is in one of the watcher's folders.
func (w *Watcher) each(ctx context.Context, dir string, f func(path string, info fs.FileInfo) error) error {
	dir = filepath.Join(w.o.Dir, dir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if ctx.Err() != nil {
			return errors.Join(append(errs, context.Cause(ctx))...)
		}
		if info, err := e.Info(); err == nil { // else it is gone
			errs = append(errs, f(filepath.Join(dir, e.Name()), info))
		}
	}
	return errors.Join(errs...)
}

// sweepProject removes what dead processes kept of a project. One in which a
// command runs, or ran when its process died, is left alone.
func (w *Watcher) sweepProject(dir string) (err error) {
	p := &project{dir: dir}
	lock, err := durable.Lock(p.file(lockFile))
	if errors.Is(err, durable.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if _, err := os.Lstat(p.file(announceFile)); err == nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	living := false
	for _, e := range entries {
		name := p.file(e.Name())
		switch {
		case strings.HasPrefix(e.Name(), durable.TempPrefix):
			err = removeIfThere(name)
		case !strings.HasPrefix(e.Name(), keptPrefix) || strings.HasSuffix(e.Name(), indexSuffix):
			continue
		default:
			pack, locked := durable.Lock(name)
			if errors.Is(locked, durable.ErrLocked) {
				living = true
				continue
			}
			if err = locked; err == nil {
				err = errors.Join(removeKept(name), pack.Unlock())
			}
		}
		if err != nil {
			return err
		}
	}
	return w.sweepGone(p, living)
}

// sweepGone forgets a project whose folder is not there any more.
func (w *Watcher) sweepGone(p *project, living bool) error {
	data, _, err := durable.ReadFile(nil, p.file(pathFile), maxAnnouncementBytes)
	if err != nil || living {
		return nil // made by somebody who is still at it, or in use
	}
	if _, err := os.Stat(strings.TrimSuffix(string(data), "\n")); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return os.RemoveAll(p.dir)
}
