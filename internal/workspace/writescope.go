package workspace

import (
	"path"
	"slices"
	"strings"

	"belay/internal/lazyregexp"
)

// zone is what a persona's WRITE_SCOPE opens (workspace 9.5).
type zone struct {
	// allows is asked with a clean path.
	allows func(path string, exists bool) bool
	// says is the end of "you may …".
	says string
}

var (
	firstWord = lazyregexp.New("^[\\s`*\"']*([A-Za-z][A-Za-z-]*)")
	// workFolder is a deliverable's or a knowledge type's folder, with something
	// in it.
	workFolder = lazyregexp.New(`^PKG-[^/]*/1_Working/(?:DEL|KTY)-[^/]+/.`)
	// toolRoot finds the tool roots in a cell: names with an underscore in front,
	// perhaps behind a placeholder for the project, perhaps with folders in them.
	toolRoot = lazyregexp.New("(?:^|[\\s`(\"'])(?:\\{[A-Z_]+\\}/)?(_[A-Za-z0-9][A-Za-z0-9_-]*(?:/[A-Za-z0-9_][A-Za-z0-9_-]*)*)(/?)([^A-Za-z0-9_./-]|$)")
)

// parseWriteScope reads a cell of an Agent Type table. The first word decides;
// what follows is for people, except that tool roots are taken by name. A word
// that is not known opens nothing.
func parseWriteScope(cell string) zone {
	word := ""
	if m := firstWord.FindStringSubmatch(cell); m != nil {
		word = strings.ToLower(m[1])
	}
	switch word {
	case "repo-wide", "project-level":
		return zone{func(string, bool) bool { return true }, "write anywhere in the project"}
	case "deliverable-local", "knowledge-type-local":
		return zone{
			func(p string, _ bool) bool { return workFolder.MatchString(p) },
			"write inside the folders PKG-*/1_Working/DEL-*/ and PKG-*/1_Working/KTY-*/",
		}
	case "tool-root-only":
		return toolRoots(cell)
	case "workspace-scaffold-only":
		return zone{
			func(_ string, exists bool) bool { return !exists },
			"create files and folders, and change none that exist",
		}
	case "repo-metadata-only":
		return zone{
			func(p string, _ bool) bool {
				return !strings.Contains(p, "/") || strings.HasPrefix(p, "_Decomposition/")
			},
			"write files at the top of the project and inside _Decomposition/",
		}
	}
	return zone{func(string, bool) bool { return false }, ""}
}

// toolRoots opens the tool roots that a cell names, or all of them.
func toolRoots(cell string) zone {
	var roots []string
	for rest := cell; ; {
		m := toolRoot.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		roots = append(roots, path.Clean(rest[m[2]:m[3]]))
		rest = rest[m[5]:]
	}
	if len(roots) == 0 {
		return zone{
			func(p string, _ bool) bool { return strings.HasPrefix(p, "_") && strings.Contains(p, "/") },
			"write inside the tool roots, the folders _*/ at the top of the project",
		}
	}
	slices.Sort(roots)
	roots = slices.Compact(roots)
	return zone{
		func(p string, _ bool) bool {
			return slices.ContainsFunc(roots, func(r string) bool { return strings.HasPrefix(p, r+"/") })
		},
		"write inside " + strings.Join(roots, "/, ") + "/",
	}
}
