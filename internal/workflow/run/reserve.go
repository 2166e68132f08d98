package run

import (
	"context"
	"strconv"
	"strings"

	"belay/internal/workflow/definition"
)

// reserved counts the tasks that a run has and is going to have, so far as that is known:
// tasks that work at the same time each see what the others hold. It is guarded by the
// mutex of the records.
type reserved struct {
	all int
	// within are those within a task, by its key, and begun are those of them that have begun.
	within, begun map[string]int
}

// reserve counts the members of the task t at p, with what is known of what those hold. It
// refuses them where the run would have more tasks than it may have.
func reserve(ctx context.Context, x *execution, t *definition.Task, p place, members []member) error {
	each, n, err := x.eval.sizes(ctx, t, p, members, func(key string) int { return 1 + x.records.begunWithin(key) })
	if err != nil {
		return err
	}
	claims := map[string]int{}
	for i, m := range members {
		if !holds(m.t) {
			continue
		}
		claims[m.p.key] = each[i] - 1
		for round := 1; round < times(t); round++ {
			claims[p.below(t, strconv.Itoa(round), m.t.ID).key] = each[i] - 1
		}
	}
	if !x.records.reserve(p.key, n, claims, x.r.o.Limits.Tasks) {
		return x.eval.tooMany(t, p)
	}
	return nil
}

// reserve has n tasks counted within the task of a key, and of those within its members what
// they claim already. It reports whether the run may have them.
func (r *records) reserve(key string, n int, claims map[string]int, most int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	more := n - r.reserved.within[key]
	if r.reserved.all+more > most {
		return false
	}
	r.reserved.add(key, more)
	for k, n := range claims {
		r.reserved.within[k] = n
	}
	return true
}

// release counts only what has begun within a task that is over.
func (r *records) release(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reserved.add(key, r.reserved.begun[key]-r.reserved.within[key])
}

// begunWithin counts the tasks within another one that have begun.
func (r *records) begunWithin(key string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reserved.begun[key]
}

// add counts more tasks within the task of a key, and so within those that hold it.
func (c *reserved) add(key string, more int) {
	c.all += more
	c.within[key] += more
	for holder := range holders(key) {
		c.within[holder] += more
	}
}

// begins counts a task that has begun. One within another was counted before.
func (c *reserved) begins(key string) {
	if !strings.Contains(key, "/") {
		c.all++
	}
	for holder := range holders(key) {
		c.begun[holder]++
	}
}

// recall counts a task that had begun before the run was taken up.
func (c *reserved) recall(key string) {
	c.all++
	for holder := range holders(key) {
		c.begun[holder]++
		c.within[holder]++
	}
}

// holders are the keys of the tasks that hold the one of a key. In a collection the number of
// the item stands between: it is a key of nothing.
func holders(key string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i, c := range key {
			if c == '/' && !yield(key[:i]) {
				return
			}
		}
	}
}
