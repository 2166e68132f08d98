package shell

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/quantity"
)

// maxComparedIndex is how large an index is compared.
const maxComparedIndex = 64 << 20

// refreshed removes from the changes an index of Git that says the same as before:
// Git writes it anew when it only looked, with other times of the files.
func (t *transaction) refreshed(changes []journal.Change) ([]journal.Change, error) {
	for i := range changes {
		c := &changes[i]
		_, rest, in := insideGit(string(c.Path))
		if !in || rest != "index" || c.Op != journal.Replace || c.Before.Type != journal.File || max(c.Before.Size, c.After.Size) > maxComparedIndex {
			continue
		}
		before, err := t.before(c)
		if err != nil {
			return nil, err
		}
		after, err := readAll(c.Content)
		if err != nil {
			return nil, err
		}
		if sameIndex(before, after) {
			return slices.Delete(slices.Clone(changes), i, i+1), nil
		}
	}
	return changes, nil
}

// sameIndex reports whether two indexes of Git have the same entries, whatever they
// remember of the files' times. It is false for what it cannot read.
func sameIndex(a, b []byte) bool {
	x, okA := indexEntries(a)
	y, okB := indexEntries(b)
	return okA && okB && slices.EqualFunc(x, y, bytes.Equal)
}

// The layout of an index of version 2 or 3 (gitformat-index(5)).
const (
	indexHeader   = 12 // signature, version, count
	indexSignals  = 24 // of an entry: times, device and inode
	indexNamed    = 62 // of an entry: where its name begins
	indexExtended = 0x4000
	entryNamed    = 4 + indexNamed - 40 + 2 // of what indexEntries returns
)

// indexEntries are the entries of an index without what they remember of the file:
// its times, device, inode, owner and size.
func indexEntries(data []byte) (entries [][]byte, ok bool) {
	if len(data) < indexHeader || string(data[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version != 2 && version != 3 {
		return nil, false
	}
	rest := data[indexHeader:]
	for range count {
		named, more := indexNamed, []byte{0, 0}
		if len(rest) < named {
			return nil, false
		}
		if binary.BigEndian.Uint16(rest[60:])&indexExtended != 0 {
			named += 2
		}
		if len(rest) < named {
			return nil, false
		}
		if named > indexNamed {
			more = rest[indexNamed:named]
		}
		end := bytes.IndexByte(rest[named:], 0)
		if end < 0 {
			return nil, false
		}
		end += named
		size := (end + 8) / 8 * 8 // the name ends with one to eight zeros
		if len(rest) < size {
			return nil, false
		}
		// The mode, the object's name, the flags, more flags, and the name.
		entries = append(entries, slices.Concat(rest[indexSignals:indexSignals+4], rest[40:indexNamed], more, rest[named:end]))
		rest = rest[size:]
	}
	return entries, true
}

// tracked are the files of the project that its repository has: git ignores none of
// them, whatever a .gitignore says.
func (t *transaction) tracked() (map[string]bool, error) {
	index, _, err := durable.ReadFile(t.environment.Root, ".git/index", maxComparedIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	entries, _ := indexEntries(index)
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[string(e[entryNamed:])] = true
	}
	return names, nil
}

// describeIndex says how many files are staged that were not, and the other way round. What
// is in a commit is not staged.
func (g *gitChange) describeIndex() {
	if g.changes["index"] == nil {
		return
	}
	was, okWas := indexByName(g.before("index"))
	is, okIs := indexByName(g.after("index"))
	if !okWas || !okIs || len(g.headID(g.after)) == 64 { // entries have another form there
		g.addLine("what is staged changes")
		return
	}
	head := g.headID(g.after)
	added, removed := 0, 0
	inHead := func(name string) (string, error) {
		if head == "" {
			return "", nil
		}
		mode, id, err := g.objects.Entry(g.ctx, head, name)
		if mode == "" {
			return "", err
		}
		return mode + " " + id, err
	}
	differs := func(name string, now string) bool {
		committed, err := inHead(name)
		return err != nil || committed != now
	}
	note := func(name string) {
		switch wasStaged, isStaged := differs(name, was[name]), differs(name, is[name]); {
		case isStaged:
			added++
		case wasStaged && g.changes["HEAD"] == nil && head == g.headID(g.before):
			removed++
		}
	}
	for name, e := range is {
		if was[name] != e {
			note(name)
		}
	}
	for name := range was {
		if _, there := is[name]; !there {
			note(name)
		}
	}
	if added > 0 {
		g.addLine("%s staged", quantity.Count(added, "file", "files"))
	}
	if removed > 0 {
		g.addLine("%s not staged any more", quantity.Count(removed, "file", "files"))
	}
}

// indexByName returns the entries of an index by their names, as a tree has them.
func indexByName(index string) (map[string]string, bool) {
	all := map[string]string{}
	if index == "" {
		return all, true
	}
	entries, ok := indexEntries([]byte(index))
	for _, e := range entries {
		mode := uint32(e[0])<<24 | uint32(e[1])<<16 | uint32(e[2])<<8 | uint32(e[3])
		all[string(e[entryNamed:])] = fmt.Sprintf("%o %x", mode, e[4:24])
	}
	return all, ok
}
