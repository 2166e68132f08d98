package permit

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// maxPlaces is how many folders and files an answer for the session can name.
const maxPlaces = 20

// What stands between a kind of call and the folder in which its changes are allowed,
// and before a folder that git ignores. No command has a NUL byte.
const (
	inPlace   = "\x00in "
	inIgnored = " files that git ignores in "
)

// Classes are what a decision about this call for the whole session covers, in
// a stable order: for a command the classes of its parts, without those that
// are harmless beside others; for what a command changed the same, each with the folders of the
// files, or only the folders where it changed nothing but what git ignores; for a fetch
// the hosts; for anything else the tool. They are nil where no such decision is offered:
// the call cannot be distinguished from others, or it changed files in too many folders.
func (e Effect) Classes() (classes []string) {
	switch {
	case e.onlyIgnored() && !e.alone():
		for _, i := range e.Done.Ignored {
			classes = append(classes, e.Tool+inIgnored+i.Path)
		}
	case e.Done == nil:
		classes = e.kinds()
	default:
		for _, kind := range e.kinds() {
			for _, place := range e.places() {
				classes = append(classes, kind+inPlace+place)
			}
		}
	}
	slices.Sort(classes)
	return slices.Compact(classes)
}

// alone reports whether the call is asked about each time.
func (e Effect) alone() bool {
	return e.Unconfined || e.Outside || e.Kind == Publish || len(e.Automatic) > 0 || e.Doubt != ""
}

// kinds are the classes of a call, whatever files it changed; nil where it cannot be
// distinguished from others.
func (e Effect) kinds() (kinds []string) {
	switch {
	case e.alone(), e.Opaque:
		return nil
	case e.Kind == Execute:
		for _, c := range e.counting() {
			if c.Class == "" {
				return nil
			}
			kinds = append(kinds, e.Tool+" "+c.Class)
		}
		if len(e.Ports) > 0 {
			kinds = e.portClasses(kinds)
		}
	case e.Kind == Network:
		for _, h := range e.Hosts {
			kinds = append(kinds, e.Tool+" "+strings.ToLower(e.hostClass(h)))
		}
	default:
		kinds = []string{e.Tool}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// places are the folders of what a command changed, and the files at the top of the
// project; nil where they are too many. Where the folders are many, those at the top
// stand for them.
func (e Effect) places() (places []string) {
	for _, p := range e.unignored() {
		p = path.Clean(p)
		if dir := path.Dir(p); dir != "." {
			p = dir
		}
		places = append(places, p)
	}
	for _, i := range e.Done.Ignored {
		places = append(places, i.Path)
	}
	if places = outermost(places); len(places) > maxPlaces {
		for i, p := range places {
			places[i], _, _ = strings.Cut(p, "/")
		}
		places = outermost(places)
	}
	if len(places) > maxPlaces {
		return nil
	}
	return places
}

// outermost are the paths that are below no other one, sorted.
func outermost(paths []string) (all []string) {
	slices.Sort(paths)
	set := map[string]bool{}
	for _, p := range paths {
		if !set[p] && !below(p, func(folder string) bool { return set[folder] }) {
			set[p], all = true, append(all, p)
		}
	}
	return all
}

// below reports whether one of the folders above a path is such a one.
func below(p string, is func(folder string) bool) bool {
	for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if is(dir) {
			return true
		}
	}
	return false
}

// covered reports whether what was allowed for the session covers the call. A folder
// stands for all that is in it.
func (e Effect) covered(allowed map[string]bool) bool {
	all := func(classes []string) bool {
		return len(classes) > 0 && !slices.ContainsFunc(classes, func(c string) bool { return !allowed[c] })
	}
	if e.Done == nil || e.alone() {
		return all(e.Classes())
	}
	kinds, known := e.kinds(), map[string]bool{}
	in := func(place string) bool {
		ok, seen := known[place]
		if !seen {
			ok = len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool { return !allowed[kind+inPlace+place] })
			known[place] = ok
		}
		return ok
	}
	for _, i := range e.Done.Ignored {
		if !allowed[e.Tool+inIgnored+i.Path] && !in(i.Path) && !below(i.Path, in) {
			return false
		}
	}
	for _, p := range e.unignored() {
		if p = path.Clean(p); !in(p) && !below(p, in) {
			return false
		}
	}
	return e.Done.Files > 0
}

// KindOfCall says in a few words what an answer for the whole session covers, ""
// where none is offered: the programs of a command with their subcommands and, for what
// it changed, the folders; the hosts of a fetch; or the tool.
func (e Effect) KindOfCall() string {
	if len(e.Classes()) == 0 {
		return ""
	}
	if e.onlyIgnored() {
		var folders []string
		for _, i := range e.Done.Ignored {
			folders = append(folders, i.Path)
		}
		return "files that git ignores in " + strings.Join(folders, ", ")
	}
	kinds := e.kinds()
	for i, c := range kinds {
		switch kind, ok := strings.CutPrefix(c, e.Tool+" "); {
		case ok && e.Tool == NetworkTool && kind == registries:
			kinds[i] = "the usual package registries"
		case ok:
			kinds[i] = kind
		case strings.HasPrefix(c, PortsTool+" "):
			kinds[i] = "port " + c[len(PortsTool)+1:]
		case e.Kind == Write:
			kinds[i] = "every " + c + " of ordinary files in the write scope"
		default:
			kinds[i] = "every " + c
		}
	}
	said := strings.Join(kinds, ", ")
	switch {
	case e.Done != nil:
		said += fmt.Sprintf(", where it changes only ordinary files in %s", strings.Join(e.places(), ", "))
	case e.Writes:
		said += ", whatever it changes"
	}
	return said
}
