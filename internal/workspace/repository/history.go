package repository

import (
	"bytes"
	"container/heap"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
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
		for line := range strings.Lines(string(data)) {
			word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch word {
			case "tree":
				c.tree = rest
			case "parent":
				c.parents = append(c.parents, rest)
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
		c.subject, _, _ = strings.Cut(strings.TrimSpace(message), "\n")
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

// Between counts the commits that are reached from one id and from none of others, and
// the other way round. An id that is not a commit's is an error.
func (o *Objects) Between(ctx context.Context, old []string, now string) (ahead, behind int, err error) {
	sides := map[string]int{}
	known := map[string]commitInfo{}
	var queue byTime
	reach := func(id string, side int) error {
		c, seen := known[id]
		if !seen {
			var at string
			if c, at, err = o.commit(ctx, id); err != nil {
				return err
			}
			id = at
			known[id] = c
		}
		if sides[id]|side != sides[id] {
			sides[id] |= side
			heap.Push(&queue, dated{id, c.time})
		}
		return nil
	}
	if err := reach(now, fromNew); err != nil {
		return 0, 0, err
	}
	for _, id := range old {
		if err := reach(id, fromOld); err != nil {
			return 0, 0, err
		}
	}
	for slices.ContainsFunc(queue, func(d dated) bool { return sides[d.id] != fromNew|fromOld }) {
		next := heap.Pop(&queue).(dated)
		for _, parent := range known[next.id].parents {
			if err := reach(parent, sides[next.id]); err != nil {
				return 0, 0, err
			}
		}
	}
	// Commits of one moment, or with a wrong clock, may have been looked at before their
	// children. What both sides reach, both sides reach through.
	for len(queue) > 0 {
		next := heap.Pop(&queue).(dated)
		for _, parent := range known[next.id].parents {
			if side, seen := sides[parent]; seen && side != fromNew|fromOld {
				if err := reach(parent, fromNew|fromOld); err != nil {
					return 0, 0, err
				}
			}
		}
	}
	for side := range maps.Values(sides) {
		switch side {
		case fromNew:
			ahead++
		case fromOld:
			behind++
		}
	}
	return ahead, behind, nil
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

// maxFiles bounds the files in which two commits differ.
const maxFiles = 10_000

// Files are the paths of the files in which two commits differ, sorted; an id of "" is a
// commit without files.
func (o *Objects) Files(ctx context.Context, a, b string) ([]string, error) {
	var trees [2]string
	for i, id := range []string{a, b} {
		if id == "" {
			continue
		}
		c, _, err := o.commit(ctx, id)
		if err != nil {
			return nil, err
		}
		trees[i] = c.tree
	}
	var names []string
	err := o.differ(ctx, trees[0], trees[1], "", &names)
	slices.Sort(names)
	return names, err
}

// Entry is the mode and the id of a file in a commit, "" where it has none of that path.
func (o *Objects) Entry(ctx context.Context, id, name string) (mode, object string, err error) {
	c, _, err := o.commit(ctx, id)
	if err != nil {
		return "", "", err
	}
	at := entry{mode: treeMode, id: c.tree}
	for part := range strings.SplitSeq(name, "/") {
		if at.mode != treeMode {
			return "", "", nil
		}
		all, err := o.tree(ctx, at.id)
		if err != nil {
			return "", "", err
		}
		at = all[part]
	}
	return at.mode, at.id, nil
}

const treeMode = "40000"

// entry is a line of a tree.
type entry struct{ mode, id string }

func (o *Objects) tree(ctx context.Context, id string) (map[string]entry, error) {
	if all, known := o.trees[id]; known || id == "" {
		return all, nil
	}
	all := map[string]entry{}
	k, data, err := o.object(ctx, id)
	if err != nil {
		return nil, err
	}
	if k != "tree" {
		return nil, fmt.Errorf("the object %s is no tree: %w", id, errDamaged)
	}
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		if !ok || !named || len(rest) < o.id {
			return nil, errDamaged
		}
		all[name] = entry{mode, hex.EncodeToString(rest[:o.id])}
		data = rest[o.id:]
	}
	o.trees[id] = all
	return all, nil
}

// maxTreeDepth bounds how deep folders lie in each other.
const maxTreeDepth = 200

// differ adds the files in which two trees differ.
func (o *Objects) differ(ctx context.Context, a, b, at string, names *[]string) error {
	if strings.Count(at, "/") > maxTreeDepth {
		return ErrTooMuch
	}
	was, err := o.tree(ctx, a)
	if err != nil {
		return err
	}
	is, err := o.tree(ctx, b)
	if err != nil {
		return err
	}
	all := map[string]entry{}
	maps.Copy(all, was)
	maps.Copy(all, is)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x, y := was[name], is[name]
		if x == y {
			continue
		}
		if len(*names) >= maxFiles {
			return ErrTooMuch
		}
		full := path.Join(at, name)
		folders := [2]string{}
		for i, e := range []entry{x, y} {
			if e.mode == treeMode {
				folders[i] = e.id
			}
		}
		if folders != [2]string{} {
			if err := o.differ(ctx, folders[0], folders[1], full, names); err != nil {
				return err
			}
		}
		if x.mode != "" && x.mode != treeMode || y.mode != "" && y.mode != treeMode {
			*names = append(*names, full)
		}
	}
	return nil
}
