package shell

import (
	"fmt"
)

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
		g.addLine("%s staged", count(added, "file"))
	}
	if removed > 0 {
		g.addLine("%s not staged any more", count(removed, "file"))
	}
}

// staged are the entries of an index, as a tree has them.
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
