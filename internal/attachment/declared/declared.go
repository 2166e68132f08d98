// Package declared is attachments as workflow files declare them: entries with
// templates and patterns ([Entry]), and what becomes of them, one file or address
// each ([Attachment]).
//
// The way of an entry: [Decode] reads it strictly; when a task is about to begin,
// Expand evaluates its templates and finds what its patterns match, in the
// author's order; Merge joins the lists of task, agent and action. What stands in
// the result is opened or fetched by the engine that turns use.
//
// Specification: attachments, sections 1 to 4 and 11.
package declared

// Type is what its author says that an attachment is.
type Type string

// The types. A file that calls a PDF a document means [TypePDF].
const (
	TypeImage Type = "image"
	TypePDF   Type = "pdf"
	TypeAudio Type = "audio"
	TypeVideo Type = "video"
	TypeFile  Type = "file"
	TypeURL   Type = "url"
)

// Types lists them.
func Types() []Type { return []Type{TypeImage, TypePDF, TypeAudio, TypeVideo, TypeFile, TypeURL} }

// alias is what authors may write for [TypePDF].
const alias = "document"

// parseType reads a type as an author wrote it.
func parseType(s string) (Type, bool) {
	t := Type(s)
	if s == alias {
		t = TypePDF
	}
	for _, known := range Types() {
		if t == known {
			return t, true
		}
	}
	return "", false
}

// Attachment is one thing that a model is to be shown.
type Attachment struct {
	Type Type
	// Source is where it is: exactly one of Path and URL is set.
	Source Source
	// Name is what the author calls it; may be empty.
	Name string
	// MIME is what the author says of its type: a hint, never believed.
	MIME string
	// Meta is the author's, its own copy.
	Meta map[string]any
	// Optional is set where a turn may go on without it.
	Optional bool
	// Direct gives the address of an image to a model that fetches pictures itself.
	Direct bool
	// MaxPages is how many pages of a PDF are wanted, 0 for all.
	MaxPages int
	// Fetch gives a model the text that is at a URL; without it, the model gets the
	// address as text.
	Fetch bool
	// Retries is how often its task is tried again, and so at least its download.
	Retries int
	// From says where it was declared, for people: scope and entry. Line and Column are the
	// place of its source in the file, which the caller may name in File.
	From, File   string
	Line, Column int
}

// Source is where an attachment is.
type Source struct {
	// Path is a file below the folder of the workflow file, with slashes; below that
	// of the project where Project is set.
	Path    string
	Project bool
	// URL is an http or https address.
	URL string
	// regular is set where Path was found to be a file and no link.
	regular bool
}

// Base is the value of base that the source has, "" for that of most: the folder of
// the workflow file.
func (s Source) Base() string {
	if s.Project {
		return baseProject
	}
	return ""
}
