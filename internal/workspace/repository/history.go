package repository

import (
	"cmp"
	"container/heap"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// commitInfo is what counts of a commit.
type commitInfo struct {
	tree    string
	parents []string
	time    int64
	subject string
	author  string
}

// maxTags is how many tags may name each other.
const maxTags = 10

// commit reads a commit, also one that a tag names.
func (o *Objects) commit(ctx context.Context, id string) (c commitInfo, at string, err error) {
	for range maxTags {
		if c, known := o.commits[id]; known {
			return c, id, nil
		}
		k, data, err := o.object(ctx, id)
		switch {
		case err != nil:
			return c, "", err
		case k == "tag":
			first, _, _ := strings.Cut(string(data), "\n")
			id = strings.TrimPrefix(first, "object ")
			continue
		case k != commit:
			return c, "", ErrNotCommit
		}
		// Only copies are kept: a part of the text would keep all of it in memory.
		for line := range strings.Lines(string(data)) {
			word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch word {
			case "tree":
				c.tree = strings.Clone(rest)
			case "parent":
				c.parents = append(c.parents, strings.Clone(rest))
			case "author":
				c.author = strings.Clone(rest)
			case "committer":
				if fields := strings.Fields(rest); len(fields) > 1 {
					c.time, _ = strconv.ParseInt(fields[len(fields)-2], 10, 64)
				}
			}
			if word == "" { // the message follows
				break
			}
		}
		_, message, _ := strings.Cut(string(data), "\n\n")
		subject, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
		c.subject = strings.Clone(subject)
		o.commits[id] = c
		return c, id, nil
	}
	return c, "", errDamaged
}

// Subject is the first line of a commit's message, as it was written. What is no commit
// is an error.
func (o *Objects) Subject(ctx context.Context, id string) (string, error) {
	c, _, err := o.commit(ctx, id)
	return c.subject, err
}

// The sides from which a commit is reached.
const (
	fromNew = 1 << iota
	fromOld
)

// walk goes through histories, the youngest commits first.
type walk struct {
	o     *Objects
	sides map[string]int
	known map[string]commitInfo
	queue byTime
}

func (o *Objects) walk() *walk {
	return &walk{o: o, sides: map[string]int{}, known: map[string]commitInfo{}}
}

// reach notes that a commit is reached from a side, for [walk.next].
func (w *walk) reach(ctx context.Context, id string, side int) error {
	c, seen := w.known[id]
	if !seen {
		var err error
		if c, id, err = w.o.commit(ctx, id); err != nil {
			return err
		}
		w.known[id] = c
	}
	if w.sides[id]|side != w.sides[id] {
		w.sides[id] |= side
		heap.Push(&w.queue, dated{id, c.time})
	}
	return nil
}

// next reaches the parents of the youngest commit in the queue.
func (w *walk) next(ctx context.Context) error {
	d := heap.Pop(&w.queue).(dated)
	for _, parent := range w.known[d.id].parents {
		if err := w.reach(ctx, parent, w.sides[d.id]); err != nil {
			return err
		}
	}
	return nil
}

// settle corrects commits of one moment, or with a wrong clock, that were looked at before
// their children. What both sides reach, both sides reach through.
func (w *walk) settle(ctx context.Context) error {
	for len(w.queue) > 0 {
		d := heap.Pop(&w.queue).(dated)
		if w.sides[d.id] != fromNew|fromOld {
			continue
		}
		for _, parent := range w.known[d.id].parents {
			if side, seen := w.sides[parent]; seen && side != fromNew|fromOld {
				if err := w.reach(ctx, parent, fromNew|fromOld); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Between counts the commits that are reached from one id and from none of others, and
// the other way round. An id that is not a commit's is an error.
func (o *Objects) Between(ctx context.Context, old []string, now string) (ahead, behind int, err error) {
	w := o.walk()
	if err := w.reach(ctx, now, fromNew); err != nil {
		return 0, 0, err
	}
	for _, id := range old {
		if err := w.reach(ctx, id, fromOld); err != nil {
			return 0, 0, err
		}
	}
	for slices.ContainsFunc(w.queue, func(d dated) bool { return w.sides[d.id] != fromNew|fromOld }) {
		if err := w.next(ctx); err != nil {
			return 0, 0, err
		}
	}
	if err := w.settle(ctx); err != nil {
		return 0, 0, err
	}
	for side := range maps.Values(w.sides) {
		switch side {
		case fromNew:
			ahead++
		case fromOld:
			behind++
		}
	}
	return ahead, behind, nil
}

// New returns the commits that are reached from the ids of now and from none of old, the
// youngest first. Ids of old that cannot be read are left out, so that more commits may
// count as new, never fewer. An id of now that is not a commit's is an error.
func (o *Objects) New(ctx context.Context, old, now []string) ([]string, error) {
	w := o.walk()
	for _, id := range now {
		if err := w.reach(ctx, id, fromNew); err != nil {
			return nil, err
		}
	}
	for _, id := range old {
		if err := w.reach(ctx, id, fromOld); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	oldest := int64(math.MaxInt64) // of the new ones: what is older reaches none of them
	for slices.ContainsFunc(w.queue, func(d dated) bool {
		return w.sides[d.id] == fromNew || w.sides[d.id] == fromOld && d.time >= oldest
	}) {
		if d := w.queue[0]; w.sides[d.id] == fromNew {
			oldest = min(oldest, d.time)
		}
		if err := w.next(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.settle(ctx); err != nil {
		return nil, err
	}
	var all []string
	for id, side := range w.sides {
		if side == fromNew {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(w.known[b].time, w.known[a].time), cmp.Compare(a, b))
	})
	return all, nil
}

// dated is a commit in a queue of which the youngest comes first.
type dated struct {
	id   string
	time int64
}

type byTime []dated

func (q byTime) Len() int           { return len(q) }
func (q byTime) Less(i, j int) bool { return q[i].time > q[j].time }
func (q byTime) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *byTime) Push(x any)        { *q = append(*q, x.(dated)) }
func (q *byTime) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
