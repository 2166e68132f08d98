package run

import (
	"strconv"

	"belay/internal/fault"
	"belay/internal/workflow/definition"
)

// outcome is the output of a task by those of its members, or why it failed.
func (x *execution) outcome(t *definition.Task, done []*Task, rec *Task) error {
	var failed *Task
	var won *Task
	for _, d := range done {
		switch {
		case d == nil:
		case d.Status == Failed && failed == nil:
			failed = d
		case d.Status == Success && won == nil:
			won = d
		}
	}
	switch {
	case t.Strategy == definition.Race:
		if won != nil {
			rec.Output = won.Output
			return nil
		}
	case failed == nil || t.Strategy == definition.BestEffort:
		rec.Output = outputsOf(t, done)
		return nil
	}
	if failed == nil { // a race without anybody in it
		return fault.New(fault.TaskFailed, "the task %s has nothing that could win", t.ID)
	}
	return failed.Error.of(failed.Key)
}

// outputsOf are the results of the members: by id, or in the order of the items.
func outputsOf(t *definition.Task, done []*Task) any {
	result := func(d *Task) any {
		if d == nil {
			return map[string]any{"status": string(Cancelled), "output": nil}
		}
		r := map[string]any{"status": string(d.Status), "output": d.Output}
		if d.Error != nil {
			r["error"] = d.Error.Message
		}
		return r
	}
	if t.Each != nil {
		list := make([]any, len(done))
		for i, d := range done {
			list[i] = result(d)
		}
		return list
	}
	all := map[string]any{}
	for i, d := range done {
		all[t.Tasks[i].ID] = result(d)
	}
	return all
}

// childrenOf are the members as templates see them.
func childrenOf(t *definition.Task, done []*Task) any {
	see := func(i int, c *definition.Task) map[string]any {
		d := done[i]
		if d == nil {
			d = &Task{ID: c.ID, Status: Cancelled}
		}
		return view(d, nil)
	}
	if t.Each != nil {
		list := make([]any, len(done))
		for i := range done {
			v := see(i, t.Each)
			v["index"] = int64(i)
			if done[i] != nil {
				v["item"] = done[i].Item
			}
			list[i] = v
		}
		return list
	}
	all := map[string]any{}
	for i, c := range t.Tasks {
		all[c.ID] = see(i, c)
	}
	return all
}

// children are those of a task that is on record.
func (x *execution) children(t *definition.Task, rec *Task) (any, error) {
	if rests(t) || t.Kind == definition.Router {
		return nil, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var done []*Task
	if t.Each == nil {
		for _, c := range t.Tasks {
			done = append(done, ended(x.before[rec.Key+"/"+c.ID], rec.Input))
		}
		return childrenOf(t, done), nil
	}
	for i := 0; ; i++ {
		d := x.before[rec.Key+"/"+strconv.Itoa(i)+"/"+t.Each.ID]
		if d == nil || rec.Of > 0 && i == rec.Of {
			return childrenOf(t, done), nil
		}
		done = append(done, ended(d, rec.Input))
	}
}

// ended is a record that has its end, else nil. One without an input has that of the
// task that holds it.
func ended(t *Task, input any) *Task {
	if t == nil || !t.ended() {
		return nil
	}
	if t.Input == nil {
		t.Input = input
	}
	return t
}
