package review

import (
	"slices"
	"strings"
	"sync"

	"belay/internal/workspace"
)

// pattern is a name of a row: names of folders and files that follow each other, in
// any folder. The last one may be a file, or a folder with all that is in it.
type pattern struct {
	parts []string
	row   *Row
}

// patternUse says what is looked up.
type patternUse struct {
	// removal is a path that is gone.
	removal bool
	// link is a link. It can stand for a folder, so the beginning of a pattern is
	// enough: what it leads to may have the rest.
	link bool
}

// matches reports whether the names begin with the pattern. The first name is known
// to match.
func (p pattern) matches(names []string, use patternUse) bool {
	if use.removal && !p.row.Removal {
		return false
	}
	if len(names) < len(p.parts) && !use.link {
		return false
	}
	for i, part := range p.parts[1:] {
		if i+1 < len(names) && !matchesName(part, names[i+1]) {
			return false
		}
	}
	return true
}

// matchesName reports whether a folded name is the one of a pattern's part, by the
// short name that Windows gives it, too.
func matchesName(part, name string) bool {
	return glob(part, name) || workspace.SameName(name, part)
}

// glob reports whether the name is the part's, in which one * may be any text.
func glob(part, name string) bool {
	start, end, star := strings.Cut(part, "*")
	if !star {
		return name == part
	}
	return len(name) >= len(start)+len(end) && strings.HasPrefix(name, start) && strings.HasSuffix(name, end)
}

// compiled are the patterns of the table, once.
var compiled = sync.OnceValue(func() (c struct {
	literal map[string][]pattern // by the first part
	all     []pattern
	globs   []pattern // those whose first part is one
}) {
	c.literal = map[string][]pattern{}
	for i := range rows {
		for name := range strings.FieldsSeq(rows[i].Files) {
			p := pattern{parts: strings.Split(strings.ToLower(name), "/"), row: &rows[i]}
			c.all = append(c.all, p)
			if strings.Contains(p.parts[0], "*") {
				c.globs = append(c.globs, p)
			} else {
				c.literal[p.parts[0]] = append(c.literal[p.parts[0]], p)
			}
		}
	}
	return c
})

// startingWith returns the patterns whose first part is the name.
func startingWith(name string) []pattern {
	c := compiled()
	candidates, found := c.globs, c.literal[name]
	if strings.Contains(name, "~") { // perhaps a short name
		candidates, found = c.all, nil
	}
	found = found[:len(found):len(found)]
	for _, p := range candidates {
		if matchesName(p.parts[0], name) {
			found = append(found, p)
		}
	}
	return found
}

// inDependencies reports whether folders lead into installed packages. Nobody opens
// those as a project, and no server builds them: what packages bring along for their
// own authors runs only with them.
func inDependencies(folders []string) bool {
	return slices.ContainsFunc(folders, func(name string) bool { return matchesName("node_modules", name) })
}
