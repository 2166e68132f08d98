package shell

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

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

// The layout of an index (gitformat-index(5)).
const (
	indexHeader   = 12 // signature, version, count
	indexSignals  = 24 // of an entry: times, device and inode
	indexNamed    = 62 // of an entry: where its name begins
	indexExtended = 0x4000
	indexLength   = 0xfff // of an entry's flags: how long the name is, or this at most
	sha1Size      = 20
	mostOfAnIndex = 4                       // how many times its size its entries may have
	entryNamed    = 4 + indexNamed - 40 + 2 // of what indexEntries returns
)

// indexEntries are the entries of an index without what they remember of the file:
// its times, device, inode, owner and size. It reads versions 2 to 4 of repositories whose
// ids are SHA-1, unless a part of the entries is in another file.
func indexEntries(data []byte) (entries [][]byte, ok bool) {
	if len(data) < indexHeader || string(data[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	rest := data[indexHeader:]
	var name []byte // of the entry before
	total := 0      // bytes of the entries: names of version 4 share what is written once
	for range count {
		named, more := indexNamed, []byte{0, 0}
		if len(rest) < named {
			return nil, false
		}
		flags := binary.BigEndian.Uint16(rest[60:])
		if flags&indexExtended != 0 {
			named += 2
		}
		if len(rest) < named {
			return nil, false
		}
		if named > indexNamed {
			more = rest[indexNamed:named]
		}
		size := named
		if version == 4 {
			shorter, n := sharedName(rest[named:])
			if n == 0 || shorter > len(name) {
				return nil, false
			}
			name, size = slices.Clone(name[:len(name)-shorter]), named+n
		} else {
			name = nil
		}
		end := bytes.IndexByte(rest[size:], 0)
		if end < 0 {
			return nil, false
		}
		name, size = append(name, rest[size:size+end]...), size+end+1
		if version < 4 {
			size = (size + 7) / 8 * 8 // the name ends with one to eight zeros
		}
		if len(rest) < size || int(flags&indexLength) != min(len(name), indexLength) {
			return nil, false // the ids have another length
		}
		// The mode, the object's name, the flags, more flags, and the name.
		entries = append(entries, slices.Concat(rest[indexSignals:indexSignals+4], rest[40:indexNamed], more, name))
		if total += len(entries[len(entries)-1]); total > mostOfAnIndex*len(data) {
			return nil, false
		}
		rest = rest[size:]
	}
	return entries, !isPartial(rest)
}

// sharedName reads how many bytes of the name before are not in a name of version 4, and how
// many bytes say so; 0 where none do.
func sharedName(b []byte) (shorter, n int) {
	for i, c := range b[:min(len(b), 4)] {
		if i > 0 {
			shorter++
		}
		if shorter = shorter<<7 | int(c&0x7f); c&0x80 == 0 {
			return shorter, i + 1
		}
	}
	return 0, 0
}

// isPartial reports whether what follows the entries of an index must be understood, because its
// name begins with no capital: more entries are in another file, or a folder stands for files.
func isPartial(extensions []byte) bool {
	for len(extensions) >= 8+sha1Size { // the hash of the index is behind them
		size := int(binary.BigEndian.Uint32(extensions[4:]))
		if c := extensions[0]; c < 'A' || c > 'Z' || size > len(extensions)-8 {
			return true
		}
		extensions = extensions[8+size:]
	}
	return false
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
