package render

import (
	"path"
	"slices"

	"belay/internal/permit"
)

// Files are the paths of a question that are no repositories: [GitLines] reports those.
func Files(e permit.Effect) (paths []string) {
	for _, p := range e.Paths {
		if !slices.ContainsFunc(e.Repositories, func(r permit.Repository) bool { return r.Path == p }) {
			paths = append(paths, p)
		}
	}
	return paths
}

// GitLines say what a command did to repositories, each with its folder where it is not
// the project's own.
func GitLines(e permit.Effect) (lines []string) {
	for _, r := range e.Repositories {
		where := ""
		if dir := path.Dir(r.Path); dir != "." {
			where = dir + ": "
		}
		for _, does := range r.Does {
			lines = append(lines, where+does)
		}
	}
	return lines
}
