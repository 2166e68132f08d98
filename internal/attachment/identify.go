package attachment

import (
	"bytes"
	"strings"

	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/net/html/charset"
)

// The MIME types that only declared attachments have.
const (
	mimeBMP    = "image/bmp"
	mimeTIFF   = "image/tiff"
	mimeSVG    = "image/svg+xml"
	mimeHEIC   = "image/heic"
	mimeHEIF   = "image/heif"
	mimeAVIF   = "image/avif"
	mimeMP3    = "audio/mpeg"
	mimeAAC    = "audio/aac"
	mimeM4A    = "audio/mp4"
	mimeOGG    = "audio/ogg"
	mimeWAV    = "audio/wav"
	mimeMP4    = "video/mp4"
	mimeMKV    = "video/x-matroska"
	mimeWebM   = "video/webm"
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
// that do, but what has the short mark of sound and reads as text is text. Which
// text it is the bytes say where they can, and only where they cannot, the type
// that the author named and then the extension.
func identify(head []byte, whole bool, ext, hint string) found {
	is := basic(head, whole)
	if is.kind == "" {
		if is = binaryMedia(head); is.kind == "" {
			is = wideText(head, whole)
		}
	}
	switch is.kind {
	case KindText:
		is.mime = textType(narrow(head, is.charset), whole, ext, hint)
		return is
	case "":
		mime := bare(mimetype.Detect(head).String())
		switch {
		case mime == mimeHTML && bytes.IndexByte(head, 0) < 0:
			return found{kind: KindText, mime: mime, charset: pageCharset(head)}
		case strings.HasPrefix(mime, "text/") && bytes.IndexByte(head, 0) < 0: // in a character set that nobody names
			return found{kind: KindFile, mime: mimeText}
		case strings.HasPrefix(mime, "text/"),
			mime == mimePDF: // quoted in a file of another type
			mime = mimeBinary
		}
		return found{kind: kindOf(mime), mime: mime}
	}
	return is
}

// pageCharset is the character set of a page that is not UTF-8: what it says itself,
// or what browsers take such a page for.
func pageCharset(head []byte) string {
	_, name, _ := charset.DetermineEncoding(head[:min(len(head), 1024)], "")
	if name == "utf-8" { // said by a page that is not
		return "windows-1252"
	}
	return name
}

// binaryMedia recognises sound, film, and the images that a turn does not take.
func binaryMedia(head []byte) found {
	mime := rareImage(head)
	if mime == "" {
		mime = canonical(mimetype.Detect(head).String())
	}
	if kind := kindOf(mime); kind != KindFile && mime != mimeSVG {
		return found{kind: kind, mime: mime}
	}
	return found{}
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
