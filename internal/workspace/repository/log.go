package repository

import (
	"container/heap"
	"context"
	"encoding/hex"
	"io"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Logged is a commit in a [Objects.Log].
type Logged struct {
	ID string
	// Author is a name without address, and Subject the first line of the message. Both may
	// come from anybody: they have no control characters and at most 200 characters.
	Author, Subject string
	// Time is when it was committed.
	Time time.Time
}

// maxWalked is how many commits a log looks at.
const maxWalked = 2000

// Log lists at most so many commits from one on, the youngest first, that changed what is
// at a path; "" is the whole tree. As for git log, a merge that took one side's content over
// is followed on that side alone. More reports whether there are others, or may be.
func (o *Objects) Log(ctx context.Context, from, name string, most int) (all []Logged, more bool, err error) {
	queue, seen := &byTime{}, map[string]bool{}
	push := func(id string) error {
		if seen[id] {
			return nil
		}
		seen[id] = true
		c, at, err := o.commit(ctx, id)
		if err == nil {
			heap.Push(queue, dated{at, c.time})
		}
		return err
	}
	if err := push(from); err != nil {
		return nil, false, err
	}
	for walked := 0; len(*queue) > 0; walked++ {
		if len(all) == most || walked == maxWalked {
			return all, true, nil
		}
		id := heap.Pop(queue).(dated).id
		c := o.commits[id]
		changed, parents, err := o.changed(ctx, c, name)
		if err != nil {
			return all, true, err
		}
		if changed {
			all = append(all, Logged{ID: id, Author: person(c.author), Subject: oneLine(c.subject), Time: time.Unix(c.time, 0).UTC()})
		}
		for _, parent := range parents {
			if err := push(parent); err != nil && !away(err) { // a shallow clone ends here
				return all, true, err
			}
		}
	}
	return all, false, nil
}

// Logged is one commit.
func (o *Objects) Logged(ctx context.Context, id string) (Logged, error) {
	c, at, err := o.commit(ctx, id)
	return Logged{ID: at, Author: person(c.author), Subject: oneLine(c.subject), Time: time.Unix(c.time, 0).UTC()}, err
}

// changed reports whether a commit has something else at a path than each of its parents,
// and the parents that the log follows.
func (o *Objects) changed(ctx context.Context, c commitInfo, name string) (bool, []string, error) {
	if name == "" {
		return true, c.parents, nil
	}
	is, err := o.at(ctx, c.tree, name)
	if err != nil {
		return false, nil, err
	}
	for _, parent := range c.parents {
		p, _, err := o.commit(ctx, parent)
		if away(err) {
			continue // a shallow clone does not have it
		}
		if err != nil {
			return false, nil, err
		}
		was, err := o.at(ctx, p.tree, name)
		if err != nil {
			return false, nil, err
		}
		if was == is {
			return false, []string{parent}, nil
		}
	}
	return len(c.parents) > 0 || is != entry{}, c.parents, nil
}

// at is what a tree has at a path, the zero entry for nothing; "" is the tree itself.
func (o *Objects) at(ctx context.Context, tree, name string) (entry, error) {
	at := entry{treeMode, tree}
	if name == "" {
		return at, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if at.mode != treeMode {
			return entry{}, nil
		}
		all, err := o.tree(ctx, at.id)
		if err != nil {
			return entry{}, err
		}
		at = all[part]
	}
	return at, nil
}

// Below are the files of a commit in a folder, by their paths in it; "" is the whole tree.
// There are none where the commit has no such folder.
func (o *Objects) Below(ctx context.Context, id, folder string) (map[string]File, error) {
	c, _, err := o.commit(ctx, id)
	if err != nil {
		return nil, err
	}
	at, err := o.at(ctx, c.tree, folder)
	files := map[string]File{}
	if err != nil || at.mode != treeMode {
		return files, err
	}
	return files, o.below(ctx, at.id, "", files)
}

func (o *Objects) below(ctx context.Context, tree, in string, files map[string]File) error {
	if strings.Count(in, "/") > maxTreeDepth {
		return ErrTooMuch
	}
	all, err := o.tree(ctx, tree)
	if err != nil {
		return err
	}
	for name, e := range all {
		full := path.Join(in, name)
		if e.mode == treeMode {
			if err := o.below(ctx, e.id, full, files); err != nil {
				return err
			}
			continue
		}
		if len(files) >= maxFiles {
			return ErrTooMuch
		}
		files[full] = File{Mode: e.mode, ID: e.id}
	}
	return nil
}

// ContentIDOf is [ContentID] of so many bytes that are read.
func ContentIDOf(digits int, size int64, content io.Reader) (string, error) {
	h := newHash(digits / 2)
	_, _ = io.WriteString(h, "blob "+strconv.FormatInt(size, 10)+"\x00")
	n, err := io.Copy(h, io.LimitReader(content, size))
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// maxLine is how many characters of a name or a subject are shown.
const maxLine = 200

// person is the name in the line of an author.
func person(line string) string {
	name, _, _ := strings.Cut(line, "<")
	return oneLine(name)
}

// oneLine is a text without characters that change how a line reads.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxLine {
		return string(runes[:maxLine-1]) + "…"
	}
	return text
}
