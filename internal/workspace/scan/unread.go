package scan

import (
	"strings"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Unread are the findings about folders of packages that could not be listed, so that
// deliverables may be missing from the result. A deliverable whose own folder could not be is
// there, and [Folder.Unreadable].
func (r *Result) Unread() []finding.Finding {
	var all []finding.Finding
	for _, f := range r.Findings {
		if f.Code == ruleUnreadable.Code && holdsDeliverables(f.Path) {
			all = append(all, f)
		}
	}
	return all
}

// holdsDeliverables reports whether a path is that of a package, or of its folder with what is
// worked on.
func holdsDeliverables(path string) bool {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		switch {
		case strings.HasPrefix(part, "_"):
			return false
		case layout.ParseName(part).Kind == layout.Package:
			rest := parts[i+1:]
			return len(rest) == 0 || len(rest) == 1 && rest[0] == layout.Working
		}
	}
	return false
}
