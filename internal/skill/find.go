package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"belay/internal/workspace/dir"
)

// errLink is of a folder that is a link.
var errLink = errors.New("is a link; links are not followed")

// Find looks at both folders. What cannot be read, or is no skill, is a problem in the
// catalogue and never an error. The order is that of the names, whatever the file system says.
func (f Folders) Find() Catalog {
	var c Catalog
	own := c.look(f.own())
	all := own
	for _, s := range c.look(f.project()) {
		if slices.ContainsFunc(own, func(o Skill) bool { return o.Name == s.Name }) {
			c.Hidden = append(c.Hidden, s)
			continue
		}
		all = append(all, s)
	}
	if len(all) > MaxSkills {
		var rest []string
		for _, s := range all[MaxSkills:] {
			rest = append(rest, s.Name)
		}
		c.Problems = append(c.Problems, Problem{f.of(all[MaxSkills]).path(), []string{
			fmt.Sprintf("there are more than %d skills; left out: %s", MaxSkills, strings.Join(rest, ", ")),
		}})
		all = all[:MaxSkills]
	}
	slices.SortFunc(all, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	c.Skills = all
	return c
}

// look returns the skills of a place and notes the problems.
func (c *Catalog) look(p place) []Skill {
	problem := func(reason string, names ...string) {
		c.Problems = append(c.Problems, Problem{p.path(names...), []string{reason}})
	}
	d, err := p.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		problem(dir.Reason(err))
		return nil
	}
	defer d.Close()
	names, err := names(d)
	if err != nil {
		problem(dir.Reason(err))
		return nil
	}
	var found []Skill
	for _, name := range names {
		s, reasons := read(d, name)
		if len(reasons) > 0 {
			c.Problems = append(c.Problems, Problem{p.path(name), reasons})
			continue
		}
		s.Own, s.Path = p.own, p.path(name, fileName)
		found = append(found, s)
	}
	return found
}

// open opens the folder. The caller closes it.
func (p place) open() (dir.Dir, error) {
	if p.base == "" {
		return nil, fs.ErrNotExist
	}
	d, err := dir.Open(p.base)
	if err != nil {
		return nil, err
	}
	for _, name := range p.below {
		next, err := enter(d, name)
		d.Close()
		if err != nil {
			return nil, err
		}
		d = next
	}
	return d, nil
}

// enter opens a folder, and says what is there in its place.
func enter(d dir.Dir, name string) (dir.Dir, error) {
	switch kind, _, _ := d.Stat(name); kind {
	case dir.Missing:
		return nil, fs.ErrNotExist
	case dir.Link:
		return nil, errLink
	case dir.Folder:
		return d.Enter(name)
	default:
		return nil, errors.New("is not a folder")
	}
}

// names are the entries that may be skills, sorted: folders, and links, which people may take
// for folders. Names that begin with a dot are somebody else's.
func names(d dir.Dir) ([]string, error) {
	var names []string
	seen := 0
	err := d.Each(make([]byte, 8<<10), func(name []byte, kind dir.Kind) {
		seen++
		if seen <= maxEntries && name[0] != '.' && (kind == dir.Folder || kind == dir.Link) {
			names = append(names, string(name))
		}
	})
	if err == nil && seen > maxEntries {
		err = fmt.Errorf("has %d entries; with more than %d none is used", seen, maxEntries)
	}
	slices.Sort(names)
	return names, err
}

// read reads the skill in a folder of that name. Reasons say why it is none.
func read(parent dir.Dir, name string) (s Skill, reasons []string) {
	d, err := enter(parent, name)
	if err != nil {
		return s, []string{dir.Reason(err)}
	}
	defer d.Close()
	switch kind, _, _ := d.Stat(fileName); kind {
	case dir.File:
	case dir.Missing:
		return s, []string{"has no " + fileName}
	case dir.Link:
		return s, []string{fileName + " " + errLink.Error()}
	default:
		return s, []string{fileName + " is not a file"}
	}
	data, err := d.Read(fileName, nil, MaxFile+1)
	switch {
	case err != nil:
		return s, []string{fileName + " cannot be read: " + dir.Reason(err)}
	case len(data) > MaxFile:
		return s, []string{fmt.Sprintf("%s is larger than %d KiB", fileName, MaxFile>>10)}
	}
	return parse(name, data)
}
