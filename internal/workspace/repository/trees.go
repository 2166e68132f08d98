package repository

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

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

// File is a file of a commit. Its id is that of its content; of a submodule, it is a commit's.
// Mode is as git writes it ("100644", "100755", "120000" for a link, "160000" for a
// submodule). Both are "" where there is none.
type File struct{ Mode, ID string }

// Made is a file that a commit has otherwise than all of its parents.
type Made struct {
	Path string
	// Was is that of its first parent.
	Was, Is File
}

// Made returns the files that a commit has otherwise than all of its parents, sorted: a
// merge of two that agree with one of them makes none.
func (o *Objects) Made(ctx context.Context, id string) (all []Made, err error) {
	c, _, err := o.commit(ctx, id)
	if err != nil {
		return nil, err
	}
	parents := c.parents
	if len(parents) == 0 {
		parents = []string{""}
	}
	names, err := o.Files(ctx, parents[0], id)
	for _, parent := range parents[1:] {
		var others []string
		if err == nil {
			others, err = o.Files(ctx, parent, id)
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			_, found := slices.BinarySearch(others, name)
			return !found
		})
	}
	for _, name := range names {
		if err != nil {
			break
		}
		m := Made{Path: name}
		if parents[0] != "" {
			m.Was.Mode, m.Was.ID, err = o.Entry(ctx, parents[0], name)
		}
		if err == nil {
			m.Is.Mode, m.Is.ID, err = o.Entry(ctx, id, name)
		}
		all = append(all, m)
	}
	return all, err
}

// Content is what a file of a commit holds, or where a link leads.
func (o *Objects) Content(ctx context.Context, id string) ([]byte, error) {
	k, data, err := o.object(ctx, id)
	if err == nil && k != "blob" {
		err = fmt.Errorf("the object %s is no content of a file: %w", id, errDamaged)
	}
	return data, err
}

// ContentID is the id that git gives a content, among ids of so many hex digits.
func ContentID(digits int, content []byte) string {
	return hex.EncodeToString(sum(digits/2, "blob", content))
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

// tree is what a tree has, by name. A few trees in each other can be visited without end, so
// that each visit counts.
func (o *Objects) tree(ctx context.Context, id string) (map[string]entry, error) {
	if o.visits++; o.visits > maxVisits {
		return nil, ErrTooMuch
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
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
		if o.entries++; o.entries > maxEntries {
			return nil, ErrTooMuch
		}
		all[name] = entry{mode, hex.EncodeToString(rest[:o.id])}
		data = rest[o.id:]
	}
	o.trees[id] = all
	return all, nil
}

// maxTreeDepth bounds how deep folders are in each other.
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
