package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"belay/internal/journal"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// What a question shows of the files: so much in all, of each at least a part, and of
// those that are not too large to compare.
const (
	shownDiff    = 64 << 10
	shownOfEach  = 2 << 10
	shownContent = 1 << 20
)

// diffs gathers what changes do to files, for people. Each file has a share of the
// space, so that a long one hides no other.
type diffs struct {
	root *os.Root
	text strings.Builder
	each int
	left int
}

func newDiffs(root *os.Root, changes int) *diffs {
	return &diffs{root: root, each: max(shownDiff/max(changes, 1), shownOfEach)}
}

// line adds a line of words. What has no space is counted.
func (d *diffs) line(text string) {
	if d.full() {
		d.left++
		return
	}
	d.text.WriteString(text)
}

func (d *diffs) full() bool { return d.text.Len() >= shownDiff }

// add adds a change of a file. What has no space is counted.
func (d *diffs) add(c *journal.Change) error {
	if d.full() {
		d.left++
		return nil
	}
	text, err := diffOf(d.root, c)
	if err == nil {
		d.addText(string(c.Path), text)
	}
	return err
}

// addText adds the diff of a file, or as much of it as it may have.
func (d *diffs) addText(name, text string) {
	if d.full() {
		d.left++
		return
	}
	if len(text) > d.each {
		shown := text[:strings.LastIndexByte(text[:d.each], '\n')+1]
		text = shown + fmt.Sprintf("… and %d more bytes of the diff of %s\n", len(text)-len(shown), tool.Printable(name))
	}
	d.text.WriteString(text)
}

// String is all of it.
func (d *diffs) String() string {
	if d.left > 0 {
		return d.text.String() + fmt.Sprintf("… and %d more changes\n", d.left)
	}
	return d.text.String()
}

// folders reports the folders that changes make and in which nothing else is, and
// those that they remove.
func (d *diffs) folders(changes []journal.Change) {
	filled := map[string]bool{}
	for _, c := range changes {
		if c.After.Type != journal.None {
			filled[path.Dir(string(c.Path))] = true
		}
	}
	for _, c := range changes {
		name := string(c.Path)
		_, _, in := insideGit(name)
		switch {
		case in:
		case c.Op == journal.Mkdir && !filled[name] && c.Tree == nil:
			d.line(tool.Printable(name) + "/: a new folder\n")
		case c.Op == journal.Rmdir:
			d.line(tool.Printable(name) + "/: a folder, removed\n")
		}
	}
}

// diffOf is what a change does to a file as it is now, in words where that says it
// better.
func diffOf(root *os.Root, c *journal.Change) (string, error) {
	name := tool.Printable(string(c.Path))
	said := links(name, c)
	switch {
	case c.Op == journal.Mode:
		return modes(name, c), nil
	case c.Before.Type != journal.File && c.After.Type != journal.File:
		return said, nil
	}
	now, err := journal.Look(root, c.Path, false)
	if err != nil {
		return "", err
	}
	if max(now.Size, c.After.Size) > shownContent {
		return said + modes(name, c) + fmt.Sprintf("%s: from %d to %d bytes\n", name, now.Size, c.After.Size), nil
	}
	var before, after []byte
	if now.Type == journal.File {
		if before, err = readFile(root, string(c.Path)); err != nil {
			return "", err
		}
		before = append(make([]byte, 0, len(before)+1), before...) // empty is not nil
	}
	if c.After.Type == journal.File {
		if after, err = readAll(c.Content); errors.Is(err, fs.ErrNotExist) {
			return name + ": what the command made of it is damaged\n", nil
		} else if err != nil {
			return "", err
		}
		after = append(make([]byte, 0, len(after)+1), after...)
	}
	return said + modes(name, c) + files.Compare(string(c.Path), before, after), nil
}

// links reports a link that a change makes, replaces or removes, "" where there is none.
func links(name string, c *journal.Change) string {
	was, is := tool.Printable(string(c.Before.Target)), tool.Printable(string(c.After.Target))
	switch link := c.Before.Type == journal.Link; {
	case link && c.After.Type == journal.Link:
		return fmt.Sprintf("%s: a link to %s, in the place of one to %s\n", name, is, was)
	case link && c.After.Type == journal.File:
		return fmt.Sprintf("%s: a file, in the place of a link to %s\n", name, was)
	case link:
		return name + ": a link, removed\n"
	case c.After.Type != journal.Link:
		return ""
	case c.Before.Type == journal.File:
		return fmt.Sprintf("%s: a link to %s, in the place of a file\n", name, is)
	}
	return fmt.Sprintf("%s: a link to %s\n", name, is)
}

// modes reports permissions that change, and a new file that can be run.
func modes(name string, c *journal.Change) string {
	switch {
	case c.Before.Type != journal.File && c.After.Type == journal.File && c.After.Mode.Perm()&0o111 != 0:
		return fmt.Sprintf("%s: a program, permissions %v\n", name, c.After.Mode.Perm())
	case c.Before.Type == c.After.Type && c.After.Type != journal.None && c.Before.Mode.Perm() != c.After.Mode.Perm():
		return fmt.Sprintf("%s: permissions %v become %v\n", name, c.Before.Mode.Perm(), c.After.Mode.Perm())
	}
	return ""
}
