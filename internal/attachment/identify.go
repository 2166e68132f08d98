package attachment

import (
	"bytes"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"belay/internal/attachment/media"
)

// The MIME types that only declared attachments have.
const (
	mimeBMP    = "image/bmp"
	mimeTIFF   = "image/tiff"
	mimeSVG    = "image/svg+xml"
	mimeHTML   = "text/html"
	mimeBinary = "application/octet-stream"
	// mimeAddress is a text that holds an address.
	mimeAddress = "text/uri-list"
)

// decodable are the types of images that can be looked into, and changed to what a
// model takes.
var decodable = map[string]bool{
	mimePNG: true, mimeJPEG: true, mimeGIF: true, mimeWebP: true, mimeBMP: true, mimeTIFF: true,
}

// identify types any file by its first bytes, as [sniff] does for the kinds of a
// turn.
//
// The rule for files that are two things at once: the type is that of the
// signature at the first byte. The only thing that may stand before its signature
// is a PDF, behind no more than junk. Text has no signature and comes after all
// that do; which text it is the bytes say where they can, and only where they
// cannot, the type that the author named and then the extension.
func identify(head []byte, whole bool, ext, hint string) found {
	if mime := media.Sniff(head); mime != "" {
		return found{kind: kindOf(mime), mime: mime}
	}
	if mime := rareImage(head); mime != "" {
		return found{kind: KindImage, mime: mime}
	}
	is := basic(head, whole)
	if is.kind == "" {
		is = wideText(head, whole)
	}
	switch is.kind {
	case KindText:
		is.mime = textType(narrow(head, is.charset), whole, ext, hint)
		return is
	case "":
		mime := bare(mimetype.Detect(head).String())
		if strings.HasPrefix(mime, "text/") { // it does not read as text
			mime = mimeBinary
		}
		return found{kind: kindOf(mime), mime: mime}
	}
	return is
}

// kindOf is the kind of a type that is no text.
func kindOf(mime string) Kind {
	family, _, _ := strings.Cut(mime, "/")
	switch family {
	case "image":
		return KindImage
	case "audio":
		return KindAudio
	case "video":
		return KindVideo
	}
	return KindFile
}

// rareImage knows the formats beside a turn's four that can be decoded.
func rareImage(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return mimeTIFF
	// Two letters are little; four bytes that are always zero follow the size.
	case len(head) >= 18 && string(head[:2]) == "BM" && string(head[6:10]) == "\x00\x00\x00\x00" && head[14] >= 12 && head[15] == 0:
		return mimeBMP
	}
	return ""
}

// bare is a MIME type in lower case without parameters.
func bare(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	return strings.ToLower(strings.TrimSpace(mime))
}

// synonyms are the same type under another name.
var synonyms = map[string]string{
	"image/jpg": mimeJPEG, "image/pjpeg": mimeJPEG, "image/x-png": mimePNG, "image/x-ms-bmp": mimeBMP, "image/svg": mimeSVG,
	"application/x-pdf": mimePDF,
	"audio/mp3":         "audio/mpeg", "audio/x-mp3": "audio/mpeg", "audio/x-mpeg": "audio/mpeg",
	"audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav",
	"audio/m4a": "audio/mp4", "audio/x-m4a": "audio/mp4", "audio/opus": "audio/ogg", "audio/x-flac": "audio/flac", "audio/x-aac": "audio/aac",
	"video/x-m4v": "video/mp4", "video/matroska": "video/x-matroska", "video/avi": "video/x-msvideo",
	"text/xml": "application/xml", "text/json": "application/json", "text/x-markdown": mimeMarkdown,
	"text/yaml": "application/yaml", "text/x-yaml": "application/yaml", "application/x-yaml": "application/yaml",
	"text/javascript": "application/javascript", "application/x-javascript": "application/javascript",
	"application/x-zip-compressed": "application/zip",
}

// canonical is the one name of a type.
func canonical(mime string) string {
	mime = bare(mime)
	if name := synonyms[mime]; name != "" {
		return name
	}
	return mime
}

// matches reports whether a type is one that the patterns allow: a type, a whole
// family ("image/*") or all ("*/*"). Parameters on either side do not count.
func matches(mime string, patterns []string) bool {
	mime = canonical(mime)
	for _, p := range patterns {
		p = bare(p)
		if family, all := strings.CutSuffix(p, "/*"); all && (family == "*" || strings.HasPrefix(mime, family+"/")) || canonical(p) == mime || p == "*" {
			return true
		}
	}
	return false
}
