package attachment

import (
	"bytes"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// The MIME types of accepted files.
const (
	mimePNG      = "image/png"
	mimeJPEG     = "image/jpeg"
	mimeGIF      = "image/gif"
	mimeWebP     = "image/webp"
	mimePDF      = "application/pdf"
	mimeText     = "text/plain"
	mimeMarkdown = "text/markdown"
	mimeCSV      = "text/csv"
)

// promise is what an extension says about a file: its kind, and for text, which
// has no signature, also its MIME type.
type promise struct {
	kind Kind
	mime string
}

// extensions is REQ-03's list. An extension only promises a kind; the bytes
// decide the type (REQ-02).
var extensions = map[string]promise{
	".png":  {KindImage, mimePNG},
	".jpg":  {KindImage, mimeJPEG},
	".jpeg": {KindImage, mimeJPEG},
	".gif":  {KindImage, mimeGIF},
	".webp": {KindImage, mimeWebP},
	".pdf":  {KindPDF, mimePDF},
	".txt":  {KindText, mimeText},
	".md":   {KindText, mimeMarkdown},
	".csv":  {KindText, mimeCSV},
}

// sniffBytes is how much of a file's beginning is looked at. mimetype looks at
// as much by default, and a PDF's header must come within the first 1024.
const sniffBytes = 3072

// pdfHeaderWithin is where a PDF may have its header at the latest.
const pdfHeaderWithin = 1024

// found is what the bytes say.
type found struct {
	kind    Kind   // empty when they are none of the accepted kinds
	mime    string // for people where kind is empty
	charset string // of text that is not UTF-8
}

// sniff types a file by its first bytes. whole says that head is all of it.
//
// Signatures come first and are exact. Text is what reads as text, whatever a
// signature database thinks of its first letters: "BMW prices" is no bitmap.
// The database ([mimetype]) only names what was refused.
func sniff(head []byte, whole bool) found {
	if is := basic(head, whole); is.kind != "" {
		return is
	}
	return found{mime: mimetype.Detect(head).String()}
}

// basic knows the kinds that turns accept; found is empty for all else.
func basic(head []byte, whole bool) found {
	if mime := imageType(head); mime != "" {
		return found{kind: KindImage, mime: mime}
	}
	if at := bytes.Index(head[:min(len(head), pdfHeaderWithin)], []byte("%PDF-")); at == 0 {
		return found{kind: KindPDF, mime: mimePDF}
	} else if at > 0 && isJunk(head[:at]) {
		return found{kind: KindPDF, mime: mimePDF}
	}
	if charset := utf16BOM(head); charset != "" {
		return found{kind: KindText, mime: mimeText, charset: charset}
	}
	if readsAsUTF8(head, whole) {
		return found{kind: KindText, mime: mimeText}
	}
	return found{}
}

// imageType recognises the four accepted image formats. An animated PNG is a
// PNG here; SVG is text.
func imageType(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return mimePNG
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return mimeJPEG
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return mimeGIF
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return mimeWebP
	}
	return ""
}

// isJunk reports whether what precedes a late PDF header is just that, and not the
// beginning of a file of another type (HTML that quotes a PDF). The database must
// not see the header itself, it would call anything with one a PDF.
func isJunk(before []byte) bool {
	m := mimetype.Detect(before)
	return m.Is("text/plain") || m.Is("application/octet-stream")
}

// utf16BOM returns the charset that a UTF-16 byte order mark announces.
func utf16BOM(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return charsetUTF16LE
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return charsetUTF16BE
	}
	return ""
}

// readsAsUTF8 reports whether head is UTF-8 without NUL; unless it is the whole
// file its last character may be cut.
func readsAsUTF8(head []byte, whole bool) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	if !whole {
		head = head[:len(head)-cutRune(head)]
	}
	return utf8.Valid(head)
}

// looksBinary reports whether mime names a format of its own, so that a refused
// file is called by its name instead of "not text".
func looksBinary(mime string) bool {
	switch mime {
	case "application/octet-stream", "":
		return false
	}
	return !bytes.HasPrefix([]byte(mime), []byte("text/"))
}
