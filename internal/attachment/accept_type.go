package attachment

import (
	"fmt"
	"path/filepath"
	"strings"
)

// families are the patterns of a kind that has none configured.
var families = map[Kind][]string{
	KindImage: {"image/*"}, KindAudio: {"audio/*"}, KindVideo: {"video/*"}, KindPDF: {mimePDF},
}

// allowed are the patterns of types for what is wanted; without any all are.
func (a *acceptance) allowed() []string {
	if patterns := a.terms.Types[a.opened.Want]; len(patterns) > 0 {
		return patterns
	}
	return families[a.opened.Want]
}

// fits holds what the bytes are against what is wanted and allowed.
func (a *acceptance) fits(is found) bool {
	want, patterns := a.opened.Want, a.allowed()
	switch {
	case len(patterns) > 0 && !matches(is.mime, patterns):
		a.refuse(TypeNotAllowed, "the bytes are %s; %s takes %s (attachments.allowed_mime_types.%s)",
			is.mime, article(want), strings.Join(patterns, ", "), setting(want))
	case is.kind == KindImage && want == KindImage && !decodable[is.mime]:
		a.refuse(NotDecodable, "%s", unreadableImage(is.mime))
	}
	return a.refusal == nil
}

// unmeasured says more of an image whose header was not understood, where it may be
// sound: of the rare formats only the usual kinds can be decoded.
func (a *acceptance) unmeasured() {
	if mime := a.item.MIMEType; mime == mimeTIFF || mime == mimeBMP {
		a.refuse(NotDecodable, "%s", unreadableImage("this kind of "+mime))
	}
}

// asSound is the type of a container that may hold sound alone, where the author
// asks for sound. The first bytes are the same with and without pictures.
func asSound(is found) found {
	switch is.mime {
	case mimeMP4:
		return found{kind: KindAudio, mime: mimeM4A}
	case mimeWebM:
		return found{kind: KindAudio, mime: "audio/webm"}
	case mimeMKV:
		return found{kind: KindAudio, mime: "audio/x-matroska"}
	}
	return is
}

// compare warns where the bytes are not what the author or the name says.
func (a *acceptance) compare(mime string) {
	if hint := bare(a.opened.Hint); hint != "" && !agrees(hint, mime) {
		a.warnings = append(a.warnings, fmt.Sprintf("mime says %s, the bytes are %s", visible(shorten(hint, 100)), mime))
	}
	if said := extensionType(extension(a.opened)); said != "" && !agrees(said, mime) {
		a.warnings = append(a.warnings, fmt.Sprintf("the name says %s, the bytes are %s", said, mime))
	}
}

// extension is one that promises a type, the name's or else that of where the file
// came from.
func extension(o Opened) string {
	for _, s := range []string{o.Name, o.Origin} {
		s, _, _ = strings.Cut(s, "?")
		if ext := strings.ToLower(filepath.Ext(s)); extensionType(ext) != "" {
			return ext
		}
	}
	return ""
}
