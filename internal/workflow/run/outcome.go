package run

import (
	"belay/internal/fault"
	"belay/internal/workflow/definition"
)

// outcome is the output of a task by those of its members, or why it failed.
func outcome(t *definition.Task, done []*Task, rec *Task) error {
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

// childrenOf are the members as templates see them: all of them, also those that did not begin.
func childrenOf(t *definition.Task, members []member, done []*Task) any {
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
			switch {
			case i < len(members):
				v["item"] = members[i].s.item
			case done[i] != nil:
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
