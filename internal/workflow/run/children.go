package run

import (
	"strconv"

	"belay/internal/workflow/definition"
)

// children are the members of a task that is on record, as templates saw them when it ended.
func (u reuse) children(t *definition.Task, p place, s scope, handed map[string]any, rec *Task) any {
	if !holds(t) {
		return nil
	}
	members := u.itemsOf(t, p, s, handed)
	u.records.mu.Lock()
	defer u.records.mu.Unlock()
	var keys []string
	if t.Each == nil {
		for _, c := range t.Tasks {
			keys = append(keys, rec.Key+"/"+c.ID)
		}
	}
	for i := 0; t.Each != nil; i++ {
		key := rec.Key + "/" + strconv.Itoa(i) + "/" + t.Each.ID
		if i >= rec.Of && (rec.Of > 0 || u.records.before[key] == nil) {
			break
		}
		keys = append(keys, key)
	}
	done, begun := make([]*Task, len(keys)), rec.Of > 0 || rec.Status == Success
	for i, key := range keys {
		d := u.records.before[key]
		done[i], begun = ended(d, rec.Input), begun || d != nil
	}
	if !begun {
		return nil // it failed before it knew what it holds
	}
	return childrenOf(t, members, done)
}

// itemsOf are the members of a collection with what each works on. None are known where the
// items cannot be evaluated again, since a limit is lower now: their records have the items of
// those that began.
func (u reuse) itemsOf(t *definition.Task, p place, s scope, handed map[string]any) []member {
	if t.Kind != definition.Collection {
		return nil
	}
	given, err := u.eval.given(t, s, handed)
	if err != nil {
		return nil
	}
	members, err := u.eval.membersOf(t, p, given)
	if err != nil {
		return nil
	}
	return members
}
