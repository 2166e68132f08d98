package scaffold

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/layout"
)

// workers is how many deliverables are made at a time, flushes how many files are
// made durable at a time: most of the time is the disk's, to which several files
// are as much work as one.
const workers, flushes = 8, 32

// apply makes what the plan has, parents first.
func (p *Plan) apply(ctx context.Context) (Result, error) {
	if err := p.makeRoot(); err != nil {
		return Result{}, err
	}
	m := &scaffolding{p: p, disk: durable.NewCommitter(flushes), done: map[string]bool{}}
	err := errors.Join(m.run(ctx), m.disk.Close())
	if err != nil {
		return Result{}, m.failed(err)
	}
	return p.result(m.created()), nil
}

// makeRoot makes the root itself where it is missing, and opens it.
func (p *Plan) makeRoot() error {
	err := makeFolders(p.req.ExecutionRoot)
	if err != nil {
		return p.fail(EnsureRoot, ".", err)
	}
	if p.root != nil {
		return nil
	}
	if p.root, err = os.OpenRoot(p.req.ExecutionRoot); err != nil {
		return p.fail(EnsureRoot, ".", err)
	}
	return nil
}

// makeFolders makes a folder outside of any project, and those above it as far as
// they are missing, parents first. The names of those that are there are flushed as
// well: a run that was killed may have made them.
func makeFolders(folder string) error {
	if filepath.Dir(folder) == folder {
		return nil
	}
	if err := makeFolders(filepath.Dir(folder)); err != nil {
		return err
	}
	info, there := os.Stat(folder)
	above, err := os.OpenRoot(filepath.Dir(folder))
	if err != nil && there == nil && info.IsDir() {
		return nil // it is not ours to flush
	} else if err != nil {
		return err
	}
	defer func() { _ = above.Close() }() // it was only flushed
	if there != nil {
		if err := durable.Mkdir(above, filepath.Base(folder), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	_ = durable.FlushDir(above, ".", durable.ProjectFile) // the folder may not be ours to flush
	return nil
}

// scaffolding makes the steps of a plan and remembers which it made.
type scaffolding struct {
	p    *Plan
	disk *durable.Committer
	mu   sync.Mutex
	done map[string]bool
}

func (m *scaffolding) run(ctx context.Context) error {
	for _, name := range m.p.stale {
		if err := durable.Remove(m.p.root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return m.p.fail(EnsureRoot, name, err)
		}
	}
	for _, s := range m.p.steps {
		if err := m.step(ctx, m.p.root, s, s.path); err != nil {
			return err
		}
	}
	if err := m.replaceCopy(ctx); err != nil {
		return err
	}
	if err := m.makeUnits(ctx); err != nil {
		return err
	}
	return m.flush()
}

// step makes one folder or file below dir, where it is called name.
func (m *scaffolding) step(ctx context.Context, dir *os.Root, s step, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var made bool
	var err error
	if s.data == nil {
		made, err = makeFolder(dir, name)
	} else {
		made, err = makeFile(dir, name, s.data)
	}
	if err != nil {
		return m.p.fail(s.stage, s.path, err)
	}
	if made {
		m.made(s.path)
	}
	return nil
}

func (m *scaffolding) made(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done[name] = true
}

// replaceCopy puts the document in the place of the copy that was archived, if
// that is still what it was.
func (m *scaffolding) replaceCopy(ctx context.Context) error {
	p := m.p
	if p.archive == "" {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	now, _, err := durable.ReadFile(p.root, p.copy, p.o.MaxBytes)
	if err == nil && !bytes.Equal(now, p.was) {
		return fault.New(fault.ContentChanged, "%s was changed meanwhile", p.copy).With("paths", []string{p.abs(p.copy)})
	}
	if err == nil {
		err = durable.Replacement{Data: p.source, Perm: 0o666, Temp: tempPrefix + "copy"}.Put(p.root, p.copy)
	}
	if err != nil {
		return p.fail(CopyDecomposition, p.copy, err)
	}
	return nil
}

// flush makes the folders durable in which this run made something, and those in
// which a run may have that was killed before it flushed them.
func (m *scaffolding) flush() error {
	var work []func() error
	for _, dir := range m.p.folders() {
		work = append(work, func() error {
			err := durable.FlushDir(m.p.root, dir, durable.ProjectFile)
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return m.p.fail(EnsureRoot, dir, durable.Unflushed(err))
		})
	}
	return durable.Together(work...)
}

// folders are those that runs make something in, sorted. Not each need be there.
func (p *Plan) folders() []string {
	all := map[string]bool{".": true, layout.Decomposition: true}
	for s := range p.all() {
		all[path.Dir(s.path)] = true
	}
	for _, name := range slices.Concat(layout.ToolRoots, []string{p.copy, layout.InitFile, layout.CoordinationFile}) {
		all[path.Dir(name)] = true
	}
	for id, place := range p.places {
		all[path.Dir(place)], all[place] = true, true
		if _, ok := p.doc.Package(id); ok {
			for _, sub := range layout.PackageFolders {
				all[path.Join(place, path.Dir(sub))] = true
			}
		}
	}
	return sorted(all)
}

// created lists what was made, in the plan's order.
func (m *scaffolding) created() Created {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := Created{Directories: []string{}, Files: []string{}}
	for s := range m.p.all() {
		switch {
		case !m.done[s.path]:
		case s.data == nil:
			c.Directories = append(c.Directories, m.p.abs(s.path))
		default:
			c.Files = append(c.Files, m.p.abs(s.path))
		}
	}
	return c
}
