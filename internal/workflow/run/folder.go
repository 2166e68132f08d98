package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/plainjson"
	"belay/internal/workspace"
)

// Names in a project and in a run's folder.
const (
	dirRuns   = ".belay/runs"
	dirTasks  = "tasks"
	fileRun   = "run.json"
	fileFlow  = "workflow"
	fileEvent = "events.jsonl"
)

// maxRecord caps a record that is read, in bytes: more than an answer can be.
const maxRecord = 256 << 20

var idPattern = lazyregexp.New(`^run_[A-Za-z0-9-]{1,64}$`)

// folder is a run's folder, open.
type folder struct {
	root *os.Root
	id   string
}

// makeFolder makes the folder of a new run. Without its run.json it is none yet.
func makeFolder(project, id string) (*folder, error) {
	p, err := os.OpenRoot(project)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := workspace.MakeBelay(p); err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(p, dirRuns+"/"+id+"/"+dirTasks, 0o700); err != nil {
		return nil, err
	}
	root, err := p.OpenRoot(dirRuns + "/" + id)
	if err != nil {
		return nil, err
	}
	// The folder's own name must be as durable as what is in it.
	for dir := dirRuns; ; dir = path.Dir(dir) {
		if err := durable.FlushDir(p, dir, durable.RunRecord); err != nil {
			return nil, errors.Join(err, root.Close())
		}
		if dir == "." {
			break
		}
	}
	return &folder{root, id}, nil
}

// openFolder opens the folder of a run: RUN_NOT_FOUND where there is none.
func openFolder(project, id string) (*folder, error) {
	if !idPattern.MatchString(id) {
		return nil, notFound(id)
	}
	p, err := workspace.OpenProject(project)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	root, err := p.OpenRoot(dirRuns + "/" + id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notFound(id)
	case err != nil:
		return nil, storage("the run cannot be opened", err)
	}
	if _, err := root.Lstat(fileRun); errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(notFound(id), root.Close()) // it never began
	}
	return &folder{root, id}, nil
}

func notFound(id string) error {
	return fault.New(fault.RunNotFound, "the project has no run %q", fault.Clip(id)).With("runId", fault.Clip(id))
}

func storage(what string, err error) error {
	f := fault.New(fault.StorageFailure, "%s", what).Because(err)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		f = f.WithHint("free disk space")
	} else {
		f = f.WithHint("let belay write to .belay/runs in the project and to its state folder, and see that no link stands in the place of a folder there")
	}
	return f
}

// close closes the folder; nothing is written through its handle.
func (f *folder) close() { _ = f.root.Close() }

// write replaces a file; it is on disk when write returns.
func (f *folder) write(name string, v any) error {
	data, err := encodeFile(v)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(f.root, name, data, 0o600, durable.RunRecord); err != nil {
		if errors.Is(err, durable.ErrUnflushed) {
			return storage("the run's record is written, but a power cut may take it back", err)
		}
		return storage("the run's record could not be written", err)
	}
	return nil
}

func (f *folder) writeTask(t *Task) error {
	written := *t
	if t.inherits {
		written.Input = nil
	}
	return f.write(dirTasks+"/"+fileOf(t.Key), taskFile{formatVersion, written})
}

// writeRun writes the record of the run itself.
func (f *folder) writeRun(r Record) error {
	r.Tasks, r.Waits, r.Live = nil, nil, false
	return f.write(fileRun, runFile{formatVersion, r})
}

// maxFileKey is the longest key that a record is named by, in bytes: file systems take names of
// 255. Of a longer one as much is in the name as leaves room for its hash.
const maxFileKey, cutFileKey = 250, 200

// fileOf is the name of a task's record. Ids have no dots.
func fileOf(key string) string {
	name := strings.ReplaceAll(key, "/", ".")
	if len(name) > maxFileKey {
		sum := sha256.Sum256([]byte(key))
		name = name[:cutFileKey] + "." + hex.EncodeToString(sum[:8])
	}
	return name + ".json"
}

// read reads the run's record, without its tasks.
func (f *folder) read() (Record, error) {
	var r Record
	data, _, err := durable.ReadFile(f.root, fileRun, maxRecord)
	if err == nil {
		err = decodeFile(fileRun, data, &r)
	}
	if err == nil && r.ID != f.id {
		err = fmt.Errorf("it calls itself %.80q", r.ID)
	}
	if err != nil {
		return r, unreadable(f.id, fileRun, err)
	}
	if r.Input == nil {
		r.Input = map[string]any{}
	}
	plainjson.Numbers(r.Input)
	plainjson.Numbers(r.Outputs)
	return r, nil
}

// tasks reads the records of the tasks, in the order in which they began.
func (f *folder) tasks() ([]Task, error) {
	d, err := f.root.Open(dirTasks)
	if err != nil {
		return nil, unreadable(f.id, dirTasks, err)
	}
	entries, err := d.ReadDir(-1)
	if err := errors.Join(err, d.Close()); err != nil {
		return nil, unreadable(f.id, dirTasks, err)
	}
	var all []Task
	for _, e := range entries {
		name := e.Name()
		if filepath.Ext(name) != ".json" || strings.HasPrefix(name, durable.TempPrefix) {
			continue
		}
		t, err := f.task(name)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	within, err := f.members(nil)
	if err != nil {
		return nil, err
	}
	for _, t := range within {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b Task) int { return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Key, b.Key)) })
	return all, nil
}

// unreadable is the error for a file of a run. The hint has the file's path below the
// project, since the message names the run alone.
func unreadable(id, name string, err error) error {
	if newer := (*durable.NewerError)(nil); errors.As(err, &newer) {
		return fault.New(fault.StorageFailure, "the run %s was written by a newer belay: %v", id, newer).WithStatus(500).
			With("runId", id).WithHint(durable.NewerHint)
	}
	return fault.New(fault.StorageFailure, "%s of the run %s cannot be read: %v", name, id, err).WithStatus(500).
		With("runId", id).WithHint("correct %s in the project, or start the workflow anew", path.Join(dirRuns, id, name)).Because(err)
}

// sweep removes what a process left that died while it wrote.
func (f *folder) sweep() error {
	var errs []error
	for _, dir := range []string{".", dirTasks} {
		d, err := f.root.Open(dir)
		if err != nil {
			return err
		}
		names, err := d.Readdirnames(-1)
		errs = append(errs, err, d.Close())
		for _, name := range names {
			if strings.HasPrefix(name, durable.TempPrefix) {
				errs = append(errs, durable.RemoveTemp(f.root, dir+"/"+name))
			}
		}
	}
	return errors.Join(errs...)
}
