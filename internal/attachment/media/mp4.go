package media

import (
	"strings"
)

// box is one box of an MP4 file: where its content is.
type box struct {
	kind       string
	start, end int64
}

// boxes calls see for each box from start to end, until see returns false. A box
// that does not lie within ends the walk.
func (f *file) boxes(start, end int64, see func(box) bool) {
	for start+8 <= end && f.more() {
		h := f.at(start, 8)
		if h == nil {
			return
		}
		size, header := int64(be.Uint32(h)), int64(8)
		switch size {
		case 0: // to the end
			size = end - start
		case 1:
			long := f.at(start+8, 8)
			if long == nil || be.Uint64(long) > uint64(end-start) {
				return
			}
			size, header = int64(be.Uint64(long)), 16
		}
		if size < header || size > end-start {
			return
		}
		if !see(box{string(h[4:8]), start + header, start + size}) {
			return
		}
		start += size
	}
}

// track is what the boxes of one track say.
type track struct {
	handler, codec string
	units, rate    uint64
	width, height  int
}

// mp4 reads the header of an MP4 or QuickTime film.
func (f *file) mp4() (info Info) {
	f.boxes(0, f.size, func(b box) bool {
		if b.kind != "moov" {
			return true
		}
		info = f.movie(b)
		return false
	})
	return info
}

func (f *file) movie(moov box) (info Info) {
	var rate uint64
	f.boxes(moov.start, moov.end, func(b box) bool {
		switch b.kind {
		case "mvhd":
			var units uint64
			units, rate = f.times(b)
			info.Duration = length(units, rate)
		case "mvex": // a film in fragments says here how long they are together
			f.boxes(b.start, b.end, func(b box) bool {
				if b.kind == "mehd" && info.Duration == 0 {
					info.Duration = length(f.number(b.start+4, f.version(b)), rate)
				}
				return true
			})
		case "trak":
			t := f.track(b)
			switch {
			case t.handler == "vide" && info.Video == "":
				info.Video, info.Width, info.Height = t.codec, t.width, t.height
			case t.handler == "soun" && info.Audio == "":
				info.Audio = t.codec
			default:
				return true
			}
			if info.Duration == 0 {
				info.Duration = length(t.units, t.rate)
			}
		}
		return true
	})
	return info
}

func (f *file) track(trak box) (t track) {
	var see func(b box) bool
	see = func(b box) bool {
		switch b.kind {
		case "mdia", "minf", "stbl":
			f.boxes(b.start, b.end, see)
		case "mdhd":
			t.units, t.rate = f.times(b)
		case "hdlr":
			if h := f.at(b.start+8, 4); h != nil && t.handler == "" && b.end-b.start >= 12 {
				t.handler = string(h)
			}
		case "tkhd":
			if size := f.at(b.end-8, 8); size != nil && b.end-b.start >= 84 { // 16.16 fixed point
				t.width, t.height = int(be.Uint16(size)), int(be.Uint16(size[4:]))
			}
		case "stsd":
			if entry := f.at(b.start+8, 8); entry != nil && b.end-b.start >= 16 {
				t.codec = codecName(string(entry[4:]))
			}
		}
		return true
	}
	f.boxes(trak.start, trak.end, see)
	if t.codec == "" {
		t.codec = "unknown"
	}
	return t
}

func (f *file) version(b box) byte {
	if v := f.at(b.start, 1); v != nil {
		return v[0]
	}
	return 0
}

// number is four bytes, or eight in version 1 of a box.
func (f *file) number(at int64, version byte) uint64 {
	if version == 1 {
		if b := f.at(at, 8); b != nil && be.Uint64(b) != 1<<64-1 {
			return be.Uint64(b)
		}
		return 0
	}
	if b := f.at(at, 4); b != nil && be.Uint32(b) != 1<<32-1 {
		return uint64(be.Uint32(b))
	}
	return 0
}

// times reads duration and time scale of a mvhd or mdhd box.
func (f *file) times(b box) (units, rate uint64) {
	version := f.version(b)
	at := b.start + 12 // after version, flags and two dates
	if version == 1 {
		at = b.start + 20
	}
	if at+12 > b.end {
		return 0, 0
	}
	return f.number(at+4, version), f.number(at, 0)
}

// codecs by the names that sample entries have.
var codecs = map[string]string{
	"avc1": "h264", "avc3": "h264", "hvc1": "hevc", "hev1": "hevc", "av01": "av1", "vp08": "vp8", "vp09": "vp9",
	"mp4v": "mpeg4", "mjpg": "mjpeg", "jpeg": "mjpeg", "ap4h": "prores", "apch": "prores", "apcn": "prores", "s263": "h263",
	"mp4a": "aac", "alac": "alac", "ac-3": "ac3", "ec-3": "eac3", "Opus": "opus", "fLaC": "flac", ".mp3": "mp3",
	"samr": "amr", "sawb": "amr-wb", "sowt": "pcm", "twos": "pcm", "lpcm": "pcm", "in24": "pcm", "in32": "pcm", "fl32": "pcm", "ulaw": "mulaw", "alaw": "alaw",
}

// codecName names a codec by its four characters; one that is not known keeps
// those that may be shown.
func codecName(four string) string {
	if name := codecs[four]; name != "" {
		return name
	}
	return plain(four)
}

// plain keeps the characters of a name that may be shown.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, s)
	if s == "" {
		return "unknown"
	}
	return s
}
