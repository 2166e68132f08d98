// Package attachment is the one engine for files that reach a model: it decides
// what a path is allowed to be, reads it once, stores it by content, and plans
// how a given model receives it.
//
// The way of an attachment: a path is opened once without following links,
// checked on the descriptor, typed from its bytes and stored by sha256; the result
// is an [Item], a reference that never goes stale. There are two policies: [Resolve]
// is the strict one of a turn's paths, [Accept] the configured one of what workflow
// files declare, which has more kinds and which [Reference] joins for addresses. When
// a request is built, a [Planner] turns items into [Part]s within a model's
// [Limits]: native, downscaled, as extracted text, or a text that names what
// could not be sent. Planning is deterministic in (sha256, Limits), so the same
// history always gives the same bytes and prompt caches hold.
//
// The package knows no HTTP, no bus and no model. Contract: attachment-resolver
// REQ-01 to REQ-13, workspace 9.8.
package attachment

import (
	"io"
)

// Kind is the family that decides how an attachment is delivered.
type Kind string

// The kinds that a turn accepts by path.
const (
	KindImage Kind = "image"
	KindPDF   Kind = "pdf"
	KindText  Kind = "text"
)

// The kinds that only workflow files declare.
const (
	KindAudio Kind = "audio"
	KindVideo Kind = "video"
	// KindFile is a file that no model takes: an archive, a program.
	KindFile Kind = "file"
	// KindURL is an address that the model gets as text, or the page that was there.
	KindURL Kind = "url"
)

// Item is one accepted attachment: what it is, not where it lies. Its bytes are
// in the project's blob store under SHA256.
type Item struct {
	// SHA256 is 64 lower-case hex digits of the original bytes.
	SHA256   string `json:"sha256"`
	Kind     Kind   `json:"kind"`
	MIMEType string `json:"mimeType"`
	Bytes    int64  `json:"bytes"`
	// Name is the base name for people and models, sanitised.
	Name string `json:"name"`
	// Origin is the path as the caller wrote it.
	Origin string `json:"origin,omitempty"`
	// Width and Height are pixels of an image, 0 when unknown.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// Pages counts a PDF's pages, 0 when unknown.
	Pages int `json:"pages,omitempty"`
	// Charset is set where text needs conversion to UTF-8: utf-16le, utf-16be, and
	// of pages the name of an older set (windows-1252).
	Charset string `json:"charset,omitempty"`

	// What the author of a declared attachment wants; none of it is set for the
	// files of a turn.

	// Named asks that the name goes before what has no title of its own, so that
	// the model can distinguish several pictures.
	Named bool `json:"named,omitempty"`
	// MaxPages is how many of a PDF's pages are wanted, 0 for all.
	MaxPages int `json:"maxPages,omitempty"`
	// Detail is how closely an image is to be looked at: low, high or auto. Empty
	// is the model's own way.
	Detail string `json:"detail,omitempty"`
	// URL is the address that the model is given instead of the bytes.
	URL string `json:"url,omitempty"`
}

// Content is a stream that can be opened again: a blob or a rendition of one.
// Implementations are immutable and safe for concurrent use.
type Content interface {
	// Open returns a reader over all bytes; the caller closes it.
	Open() (io.ReadCloser, error)
	// Size is the number of bytes that Open yields.
	Size() int64
	// SHA256 identifies the bytes, 64 lower-case hex digits.
	SHA256() string
}

// Part is one block of a prompt. It is one of [TextPart], [ImagePart],
// [ImageURLPart], [DocumentPart], [TextDocumentPart] and [MediaPart].
type Part interface{ part() }

// TextPart is plain text: the user's words, a warning, a note about a file that
// the model cannot take.
type TextPart struct{ Text string }

// ImagePart is an image in a form that the model takes.
type ImagePart struct {
	Name          string
	MIMEType      string
	Width, Height int
	// Detail is low, high, auto or empty; models without such a choice ignore it.
	Detail  string
	Content Content
}

// ImageURLPart is an image that the model's service fetches itself.
type ImageURLPart struct {
	Name string
	// URL is an address that was checked when the item was made.
	URL    string
	Detail string
}

// DocumentPart is a PDF that the model reads natively.
type DocumentPart struct {
	Name     string
	MIMEType string
	Pages    int
	Content  Content
}

// TextDocumentPart is a named document of UTF-8 text: a text file, or the text
// of a PDF that the model does not take.
type TextDocumentPart struct {
	Name string
	// MIMEType is the type of the original file.
	MIMEType string
	Content  Content
}

// MediaPart is sound or a film that the model takes natively.
type MediaPart struct {
	// Kind is [KindAudio] or [KindVideo].
	Kind     Kind
	Name     string
	MIMEType string
	Content  Content
}

func (TextPart) part()         {}
func (ImagePart) part()        {}
func (ImageURLPart) part()     {}
func (DocumentPart) part()     {}
func (TextDocumentPart) part() {}
func (MediaPart) part()        {}

// Limits says what one model takes in one request. The zero value takes text
// only. Sizes are raw bytes before base64.
type Limits struct {
	// ImageTypes are the MIME types taken natively; empty means no images.
	ImageTypes []string
	// ImageBytes caps one image; ImageSide caps its longer side in pixels.
	ImageBytes int64
	ImageSide  int
	// Images caps the number of images in a request. Requests with more than
	// ManyImages of them are held to ManyImagesSide.
	Images         int
	ManyImages     int
	ManyImagesSide int
	// PDF says whether documents are taken natively, up to PDFBytes and
	// PDFPages in one file and PDFPages in a request.
	PDF      bool
	PDFBytes int64
	PDFPages int
	// ImageURLs says that the service fetches images by their addresses.
	ImageURLs bool
	// AudioTypes are the MIME types of sound taken natively, up to
	// AudioBytes in one file; empty means none. No model takes film.
	AudioTypes []string
	AudioBytes int64
	// TextBytes caps one text document; longer ones are cut with a note.
	TextBytes int64
	// RequestBytes caps the encoded request.
	RequestBytes int64
}

// Delivery is how one item reaches one model.
type Delivery struct {
	Parts []Part
	// Used says how: "native", "downscaled", "re-encoded", "text", "address",
	// "note".
	Used string
	// Warning is a line for people when the item was not delivered as it is.
	Warning string
	// WireBytes is what the parts add to the encoded request.
	WireBytes int64
	// Tokens estimates the input tokens, on the high side.
	Tokens int64
	// Images and Pages count what the request-wide limits count.
	Images, Pages int
}
