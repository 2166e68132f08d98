package config

import "time"

// Roots is the value of attachments.roots.
type Roots string

// Which files a path in a turn may name.
const (
	// RootsAuto is RootsAny on a loopback address where callers may name any project, and
	// RootsProject elsewhere.
	RootsAuto    Roots = "auto"
	RootsAny     Roots = "any"
	RootsProject Roots = "project"
)

// Attachments bounds the files of a turn, and what workflow files attach.
type Attachments struct {
	Roots      Roots
	Extensions []string
	MaxItems   int
	FileBytes  int64
	TurnBytes  int64
	// UploadBytes caps one uploaded file.
	UploadBytes int64
	// PDFInterpreted reads PDFs without executable memory.
	PDFInterpreted bool
	// Declared is about what workflow files attach.
	Declared Declared
}

// Declared bounds the attachments of workflow files.
type Declared struct {
	// DownloadBytes and DownloadTimeout bound one download, TempBytes (0 for no
	// limit) all that are under way.
	DownloadBytes   int64
	DownloadTimeout time.Duration
	TempBytes       int64
	MaxRedirects    int
	UserAgent       string
	// AllowedHosts are internal hosts in the form of netguard.ParseInternal;
	// with Strict they do not count, and only https does.
	AllowedHosts []string
	Strict       bool
	// MaxMatches bounds one pattern, TaskBytes all attachments of a task.
	MaxMatches int
	TaskBytes  int64
	Types      AttachmentTypes
	// TextPartBytes and PDFChars bound the text of one file and of one PDF.
	TextPartBytes int64
	PDFChars      int
}

// AttachmentTypes are the MIME types that declared attachments may have, by the
// type that their author says they are; each is a type or one of type/* and */*.
type AttachmentTypes struct {
	Image, Audio, Video, PDF, File, URL []string
}
