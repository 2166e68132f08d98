package media

import (
	"bytes"
	"strings"
)

// The MIME types that [Probe] knows more about.
const (
	MP4       = "video/mp4"
	M4A       = "audio/mp4"
	QuickTime = "video/quicktime"
	ThreeGP   = "video/3gpp"
	WAV       = "audio/wav"
	FLAC      = "audio/flac"
	Matroska  = "video/x-matroska"
	WebM      = "video/webm"
	MP3       = "audio/mpeg"
	AAC       = "audio/aac"
	OggAudio  = "audio/ogg"
	OggVideo  = "video/ogg"
)

// Images in the container of MP4.
const (
	HEIC = "image/heic"
	HEIF = "image/heif"
	AVIF = "image/avif"
)

// signatures are what files begin with.
var signatures = []struct{ magic, mime string }{
	{"fLaC", FLAC},
	{"#!AMR", "audio/amr"},
	{"MThd\x00\x00\x00\x06", "audio/midi"},
	{".snd\x00\x00", "audio/basic"},
	{"FLV\x01", "video/x-flv"},
	{"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf"},
	{"\x00\x00\x01\xba", "video/mpeg"},
	{"\x00\x00\x01\xb3", "video/mpeg"},
}

// Sniff names the type of sound, film, and of images in the container of MP4, by
// the first bytes of a file; "" where they are none of these. Some hundred bytes
// do for most, MP3 and AAC without a tag want two frames, up to 3 KiB.
func Sniff(head []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.magic)) {
			return s.mime
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte("OggS")):
		return ogg(head)
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return ebml(head)
	case bytes.HasPrefix(head, []byte("ID3")):
		return afterTag(head)
	case len(head) >= 12:
		if mime := chunked(string(head[:4]), string(head[8:12])); mime != "" {
			return mime
		}
		if mime := boxed(head); mime != "" {
			return mime
		}
	}
	if transportStream(head) {
		return "video/mp2t"
	}
	return frames(head)
}

// chunked knows the formats that are made of chunks.
func chunked(outer, form string) string {
	switch {
	case (outer == "RIFF" || outer == "RF64") && form == "WAVE":
		return WAV
	case outer == "RIFF" && form == "AVI ":
		return "video/x-msvideo"
	case outer == "FORM" && (form == "AIFF" || form == "AIFC"):
		return "audio/aiff"
	}
	return ""
}

// brands of MP4 and its relatives; every other one is a film until its tracks say
// that it is sound.
var brands = map[string]string{
	"M4A ": M4A, "M4B ": M4A, "M4P ": M4A, "F4A ": M4A, "F4B ": M4A,
	"qt  ": QuickTime,
	"heic": HEIC, "heix": HEIC, "heim": HEIC, "heis": HEIC,
	"hevc": "image/heic-sequence", "hevx": "image/heic-sequence",
	"avif": AVIF, "avis": AVIF,
	"crx ": "image/x-canon-cr3",
}

// boxed knows files of boxes. The first box of all but old QuickTime films names
// the brands that the file goes by, the most telling one first.
func boxed(head []byte) string {
	switch string(head[4:8]) {
	case "ftyp":
	case "moov", "mdat", "wide", "pnot":
		if n := be.Uint32(head); n == 0 || n == 1 || n >= 8 {
			return QuickTime
		}
		return ""
	default:
		return ""
	}
	major := string(head[8:12])
	switch mime := brands[major]; {
	case mime != "":
		return mime
	case strings.HasPrefix(major, "3g"):
		return ThreeGP
	}
	still := major == "mif1" || major == "msf1"
	for at, end := 16, min(int(min(be.Uint32(head), 1<<10)), len(head)); at+4 <= end; at += 4 {
		mime := brands[string(head[at:at+4])]
		if still && strings.HasPrefix(mime, "image/") || !still && mime == M4A {
			return mime
		}
	}
	if still {
		return HEIF
	}
	return MP4
}

// transportStream knows MPEG-TS by the mark that every packet begins with.
func transportStream(head []byte) bool {
	const packet = 188
	return len(head) > 2*packet && head[0] == 0x47 && head[packet] == 0x47 && head[2*packet] == 0x47 &&
		head[1]&0x80 == 0 && head[3]&0x30 != 0
}

// afterTag looks behind an ID3 tag, which is mostly before MP3.
func afterTag(head []byte) string {
	if len(head) < 10 || head[3] < 2 || head[3] > 4 || head[4] == 0xff {
		return ""
	}
	size := 0
	for _, b := range head[6:10] {
		if b&0x80 != 0 {
			return ""
		}
		size = size<<7 | int(b)
	}
	if rest := 10 + size; rest < len(head) {
		switch mime := Sniff(head[rest:]); mime {
		case FLAC, AAC:
			return mime
		}
	}
	return MP3
}
