package permit

import "slices"

// Publication is files that a call sends to people on a surface outside this machine. The
// files are stored: what is sent is what was asked about.
type Publication struct {
	// Destination is where they go, for people, such as "Discord, #general".
	Destination string      `json:"destination"`
	Files       []Published `json:"files"`
}

// Published is one file of a [Publication].
type Published struct {
	// Path is where it lies, relative to the project or absolute. Name is what people
	// outside see.
	Path     string `json:"path"`
	Name     string `json:"name"`
	MIMEType string `json:"mimeType"`
	Bytes    int64  `json:"bytes"`
	SHA256   string `json:"sha256"`
	// Preview is the beginning of a text, or a sentence about the content, "" where there
	// is nothing to say. It has at most 1 KiB.
	Preview string `json:"preview,omitempty"`
}

// judgePublish rules on files that go outside this machine. Rules that allow a tool do not
// count: they were not made for this. What counts is the list of the destination.
func (p Policy) judgePublish(e Effect) Ruling {
	if e.Publication != nil && len(e.Publication.Files) > 0 && !slices.ContainsFunc(e.Publication.Files, func(f Published) bool { return !p.publishes(f.Path) }) {
		return Ruling{Allow, "the list of its destination lets it be sent without a question", ""}
	}
	return Ruling{Ask, "it sends files to people outside this machine", ""}
}

// publishes reports whether a path fits one of the patterns of the destination.
func (p Policy) publishes(name string) bool {
	return slices.ContainsFunc(p.Publish, func(pattern string) bool { return splitPath(pattern).match(name) })
}
