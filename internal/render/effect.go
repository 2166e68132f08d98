package render

import (
	"path"
	"slices"
	"strings"

	"belay/internal/event"
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

// Publication says what a call sends to people outside this machine: the destination, then
// each file with the beginning of its content.
func Publication(e permit.Effect) (lines []string) {
	if e.Publication == nil {
		return nil
	}
	lines = append(lines, "to "+Line(e.Publication.Destination))
	for _, f := range e.Publication.Files {
		lines = append(lines, Sent(event.SentFile{Filename: f.Name, MIMEType: f.MIMEType, Bytes: f.Bytes, Path: f.Path}))
		for text := range strings.SplitSeq(f.Preview, "\n") {
			if text != "" {
				lines = append(lines, "  "+Line(text))
			}
		}
	}
	return lines
}
