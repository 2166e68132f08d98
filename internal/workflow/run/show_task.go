package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/plainjson"
)

var keyPattern = lazyregexp.New(`^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$`)

// Task returns the record of one task of a run, by its key. NOT_FOUND where it has
// not begun.
func (r *Runner) Task(ctx context.Context, project, id, key string) (Task, error) {
	if err := ctx.Err(); err != nil {
		return Task{}, err
	}
	f, err := openFolder(project, id)
	if err != nil {
		return Task{}, err
	}
	defer f.close()
	if !keyPattern.MatchString(key) {
		return Task{}, noTask(id, key)
	}
	t, err := f.task(fileOf(key))
	if errors.Is(err, fs.ErrNotExist) {
		within, e := f.members(func(k string) bool { return k == key })
		if e != nil {
			return t, e
		}
		var ok bool
		if t, ok = within[key]; !ok {
			return t, noTask(id, key)
		}
		err = nil
	}
	if err == nil && t.Status == Running && !r.live(id) {
		t.Status = Interrupted
	}
	return t, err
}

func noTask(id, key string) error {
	return fault.New(fault.NotFound, "the run %s has begun no task %q", id, fault.Clip(key)).With("runId", id).
		WithHint("see its tasks with belay runs show %s", id)
}

// task reads the record of one task.
func (f *folder) task(name string) (Task, error) {
	var t Task
	data, _, err := durable.ReadFile(f.root, dirTasks+"/"+name, maxRecord)
	if err == nil {
		err = decodeFile(dirTasks+"/"+name, data, &t)
	}
	if err == nil && fileOf(t.Key) != name {
		err = fmt.Errorf("it is about the task %.80q", t.Key)
	}
	if err != nil {
		return t, unreadable(f.id, dirTasks+"/"+name, err)
	}
	t.Item, t.Input, t.Output = plainjson.Numbers(t.Item), plainjson.Numbers(t.Input), plainjson.Numbers(t.Output)
	t.Answer = plainjson.Numbers(t.Answer)
	return t, nil
}
