package resolve

import (
	"path"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/nearest"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

const (
	// maxCandidates is how many names an error lists of those that fit, and maxNearest of
	// those that may be meant.
	maxCandidates = 10
	maxNearest    = 3
	// maxCompared is how many unknown names of one request are compared with all that are
	// known: that takes long in a large project.
	maxCompared = 10
)

// ambiguous is the error for a name that several of a kind have.
func ambiguous(kind, name string, all []string) error {
	some := all[:min(len(all), maxCandidates)]
	e := fault.New(fault.AmbiguousName, "%d %s have the name %s", len(all), kind, finding.Shown(name)).With("candidates", some)
	hint := "name the one you mean: " + strings.Join(quoted(some), ", ")
	if more := len(all) - len(some); more > 0 {
		hint += ", …"
	}
	return e.WithHint("%s", hint)
}

// unknown is the error for a name that no deliverable has that is worked on.
func (p *Project) unknown(name string) error {
	if strings.TrimSpace(name) == "" {
		return fault.New(fault.InvalidRequest, "the name of a deliverable is empty")
	}
	e := fault.New(fault.DeliverableNotFound, "there is no deliverable %s in the project", finding.Shown(name))
	if copies := p.named(p.copies, name); len(copies) > 0 {
		return notWorkedOn(name, copies)
	}
	if at := p.link(name); at != "" {
		return fault.New(fault.DeliverableNotFound, "%s is a link, which is not followed", finding.Shown(at)).WithHint("put the folder itself in the link's place")
	}
	if keys := p.elsewhere(name); len(keys) > 0 {
		e = e.With("elsewhere", keys)
	}
	near := p.near(name)
	if len(near) == 0 {
		return e
	}
	return e.With("nearest", near).WithHint("%s", didYouMean(near))
}

// link is the path of the link that has the place of a deliverable with this name, "" for none.
func (p *Project) link(name string) string {
	name = strings.TrimSpace(name[strings.LastIndexAny(name, "/:")+1:])
	for _, f := range p.linked {
		base := path.Base(f.Path)
		if n := layout.ParseName(base); n.Kind == layout.Deliverable && (same(base, name) || number(n.ID) == number(name)) {
			return f.Path
		}
	}
	return ""
}

// notWorkedOn is the error for a name that only copies of deliverables have.
func notWorkedOn(name string, copies []*scan.Folder) error {
	var paths []string
	astray := false
	for _, f := range copies[:min(len(copies), maxCandidates)] {
		paths = append(paths, f.Path)
		astray = astray || f.Place == scan.Elsewhere
	}
	hint := "what is archived, in review, issued or derived does not change; read it there"
	if astray {
		hint = "move the folder into " + layout.Working + " of a package of this project, or open the project that it belongs to"
	}
	return fault.New(fault.DeliverableNotFound, "%s is not worked on in this project; it is in %s", finding.Shown(name), strings.Join(quoted(paths), ", ")).
		With("copies", paths).WithHint("%s", hint)
}

func (p *Project) unknownPackage(name string) error {
	if strings.TrimSpace(name) == "" {
		return fault.New(fault.InvalidRequest, "the name of a package is empty")
	}
	e := fault.New(fault.NotFound, "there is no package %s in the project", finding.Shown(name)).WithHint("list the project's packages with belay project list")
	known := map[string]string{}
	for _, pkg := range p.packages {
		known[pkg.ID], known[label(pkg.Name)] = pkg.ID, pkg.ID
	}
	near := p.nearestOf(strings.TrimSpace(name), known)
	if len(near) == 0 {
		return e
	}
	return e.With("nearest", near).WithHint("%s", didYouMean(near))
}

// elsewhere are the keys of deliverables that have the id of a key, in other packages: the one
// that is meant may have been moved there.
func (p *Project) elsewhere(key string) (keys []string) {
	_, id, ok := strings.Cut(key, "::")
	if !ok {
		return nil
	}
	for _, f := range p.named(p.working, id) {
		keys = append(keys, f.Key())
	}
	return keys[:min(len(keys), maxCandidates)]
}

// near are the names of deliverables that an unknown name may stand for: those of its id in
// other packages, or those that are spelled nearly like it.
func (p *Project) near(name string) []string {
	if _, rest, ok := strings.Cut(name, "::"); ok {
		if found := p.named(p.working, rest); len(found) > 0 {
			return p.names(found[:min(len(found), maxCandidates)])
		}
		name = rest
	}
	name = strings.TrimSpace(name[strings.LastIndexByte(name, '/')+1:])
	known := map[string]string{}
	for _, f := range p.working {
		for _, s := range []string{f.ID, label(f.Name), f.Base()} {
			if known[s] == "" {
				known[s] = f.Path
			}
		}
	}
	var found []*scan.Folder
	for _, at := range p.nearestOf(name, known) {
		i := slices.IndexFunc(p.working, func(f *scan.Folder) bool { return f.Path == at })
		found = append(found, p.working[i])
	}
	return p.names(found)
}

// nearestOf are what the names stand for that are nearest to one.
func (p *Project) nearestOf(name string, known map[string]string) []string {
	if p.compared++; p.compared > maxCompared {
		return nil
	}
	names := make([]string, 0, len(known))
	for k := range known {
		names = append(names, k)
	}
	slices.Sort(names)
	var near []string
	for len(near) < maxNearest {
		like := nearest.Of(name, names)
		if like == "" {
			break
		}
		if of := known[like]; !slices.Contains(near, of) {
			near = append(near, of)
		}
		names = slices.DeleteFunc(names, func(n string) bool { return known[n] == known[like] })
	}
	return near
}

// names are short names that each fit one of the deliverables alone.
func (p *Project) names(of []*scan.Folder) []string {
	ids, keys := map[string]int{}, map[string]int{}
	for _, f := range p.working {
		ids[number(f.ID)]++
		keys[f.Key()]++
	}
	var all []string
	for _, f := range of {
		switch {
		case ids[number(f.ID)] == 1:
			all = append(all, f.ID)
		case keys[f.Key()] == 1:
			all = append(all, f.Key())
		default:
			all = append(all, f.Path)
		}
	}
	return all
}

func didYouMean(names []string) string {
	names = quoted(names)
	last := len(names) - 1
	if last == 0 {
		return "did you mean " + names[0] + "?"
	}
	return "did you mean " + strings.Join(names[:last], ", ") + " or " + names[last] + "?"
}

// quoted are names from the disk as an error shows them.
func quoted(names []string) []string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = finding.Shown(n)
	}
	return all
}
