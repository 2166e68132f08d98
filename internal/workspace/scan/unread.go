package scan

import (
	"path"

	"belay/internal/workspace/finding"
)

// Unread are the findings about folders that could not be listed, so that deliverables of the
// project may be missing from the result: those of packages, and any where no package was found.
// A deliverable whose own folder could not be is there, and [Folder.Unreadable].
func (r *Result) Unread() []finding.Finding {
	return r.own(ruleUnreadable.Code, func(rel string, in where) bool {
		return in.area == Working || in.area == "" && in.pkg == rel || len(r.Packages) == 0 && in == where{}
	})
}

// Linked are the findings about links in the place of packages, of their folders with what is
// worked on, and of deliverables in these.
func (r *Result) Linked() []finding.Finding {
	return r.own(ruleLink.Code, func(rel string, in where) bool {
		return in.area == Working || in.area == "" && in.pkg == rel || whereIs(path.Dir(rel)).area == Working
	})
}

// own are the findings with a code about places of this project, and not of one in a folder of it.
func (r *Result) own(code string, is func(rel string, in where) bool) []finding.Finding {
	top := topPackages(r.raw.packages)
	var all []finding.Finding
	for _, f := range r.Findings {
		if f.Code != code {
			continue
		}
		if in := whereIs(f.Path); (!top || isTop(in.pkg)) && is(f.Path, in) {
			all = append(all, f)
		}
	}
	return all
}
