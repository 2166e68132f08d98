package permit

import (
	"path"
	"slices"
	"strings"
)

// pathPattern is a pattern for slash-separated paths: ** stands for any folders,
// * stays within one. A slash at the end stands for all that is in a folder.
type pathPattern []glob

const anyFolders = glob("**")

func splitPath(pattern string) pathPattern {
	var parts pathPattern
	for part := range strings.SplitSeq(strings.TrimSuffix(path.Clean(pattern), "/"), "/") {
		if part != string(anyFolders) {
			part = strings.NewReplacer("*", anyText, "?", anyOne).Replace(part)
		}
		if part != "." { // the project itself has no parts
			parts = append(parts, glob(part))
		}
	}
	if strings.HasSuffix(pattern, "/") {
		parts = append(parts, anyFolders)
	}
	return parts
}

// match reports whether a path, cleaned first, fits. It works through the parts as glob.match
// does through bytes. The project itself has no parts: only a pattern for everything matches it.
func (p pathPattern) match(name string) bool {
	rest, i := pathParts(name), 0
	star, again := -1, "" // the last **, and what is left when it is given one part more
	for rest != "" {
		part, after, _ := strings.Cut(rest, "/")
		switch {
		case i < len(p) && p[i] == anyFolders:
			star, again = i, after
			i++
		case i < len(p) && p[i].match(part, false):
			i++
			rest = after
		case star >= 0:
			i, rest = star+1, again
			_, again, _ = strings.Cut(again, "/")
		default:
			return false
		}
	}
	for i < len(p) && p[i] == anyFolders {
		i++
	}
	return i == len(p)
}

// reaches reports whether the pattern can match something in a folder.
func (p pathPattern) reaches(folder string) bool {
	i := 0
	for rest := pathParts(folder); rest != ""; i++ {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		switch {
		case i == len(p):
			return false
		case p[i] == anyFolders:
			return true
		case !p[i].match(part, false):
			return false
		}
	}
	return len(p) > i
}

// pathParts is a path without what has no part in it: the project itself is "".
func pathParts(name string) string {
	if name = path.Clean(name); name == "." {
		return ""
	}
	return name
}

// denial is the pattern of a rule that denies paths. It hits them in any case of letters, since
// some file systems know none. A slash at its beginning stands for the project's top, too: it
// would deny hardly anything otherwise. So it is one pattern or two, in lower case.
type denial []pathPattern

func newDenial(p pathPattern) denial {
	folded := make(pathPattern, len(p))
	for i, part := range p {
		folded[i] = glob(strings.ToLower(string(part)))
	}
	if len(p) > 1 && p[0] == "" {
		return denial{folded, folded[1:]}
	}
	return denial{folded}
}

// denies reports whether it hits a path.
func (d denial) denies(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(d, func(p pathPattern) bool { return p.match(name) })
}

// closes reports whether it hits all that may be in a folder. One that hits only some of it, as
// **/.* does, leaves the folder open.
func (d denial) closes(folder string) bool {
	folder = strings.ToLower(folder)
	return slices.ContainsFunc(d, func(p pathPattern) bool {
		n := len(p)
		if n > 1 && p[n-1].rest() && p[n-2] == anyFolders {
			n-- // **/* is all that is below, as ** is
		}
		return n > 0 && p[n-1] == anyFolders && p[:n].match(folder)
	})
}

// mayDeny reports whether it can hit something in a folder.
func (d denial) mayDeny(folder string) bool {
	folder = strings.ToLower(folder)
	return slices.ContainsFunc(d, func(p pathPattern) bool { return p.reaches(folder) })
}
