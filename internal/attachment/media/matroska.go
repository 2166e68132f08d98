package media

import (
	"bytes"
	"math"
	"math/bits"
	"strings"
	"time"
)

// ebml tells WebM from other Matroska by its document type, which comes early.
func ebml(head []byte) string {
	head = head[:min(len(head), 256)]
	at := bytes.Index(head, []byte{0x42, 0x82})
	if at < 0 || at+3 > len(head) {
		return Matroska
	}
	if size := int(head[at+2] &^ 0x80); at+3+size <= len(head) && string(bytes.TrimRight(head[at+3:at+3+size], "\x00")) == "webm" {
		return WebM
	}
	return Matroska
}

// The elements of Matroska that say something, with the mark that their length has
// left in.
const (
	idSegment  = 0x18538067
	idInfo     = 0x1549a966
	idScale    = 0x2ad7b1
	idDuration = 0x4489
	idTracks   = 0x1654ae6b
	idTrack    = 0xae
	idType     = 0x83
	idCodec    = 0x86
	idVideo    = 0xe0
	idWidth    = 0xb0
	idHeight   = 0xba
	idCluster  = 0x1f43b675
)

// segmentReach is how far into a film its description is looked for: it stands
// before the pictures.
const segmentReach = 4 << 20

// element is one element of Matroska: where its content is.
type element struct {
	id         uint64
	start, end int64
}

// elements calls see for each element from start to end, until see returns false.
// One of unknown length goes to the end.
func (f *file) elements(start, end int64, see func(element) bool) {
	for start < end && f.more() {
		id, n := f.vint(start, true)
		size, m := f.vint(start+n, false)
		if n == 0 || m == 0 {
			return
		}
		e := element{id, start + n + m, end}
		if unknown := uint64(1)<<(7*m) - 1; size != unknown {
			if size > uint64(end-e.start) {
				return
			}
			e.end = e.start + int64(size)
		}
		if e.start > end || !see(e) {
			return
		}
		start = e.end
	}
}

// vint reads a number whose first bits say how long it is, and that length, 0 where
// there is none.
func (f *file) vint(at int64, keepMark bool) (v uint64, n int64) {
	first := f.at(at, 1)
	if first == nil || first[0] == 0 {
		return 0, 0
	}
	n = int64(bits.LeadingZeros8(first[0])) + 1
	b := f.at(at, int(n))
	if b == nil {
		return 0, 0
	}
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	if !keepMark {
		v &^= 1 << (7 * n)
	}
	return v, n
}

// uint reads an element's number, 0 where it is none.
func (f *file) uint(e element) (v uint64) {
	if e.end-e.start > 8 {
		return 0
	}
	for _, c := range f.at(e.start, int(e.end-e.start)) {
		v = v<<8 | uint64(c)
	}
	return v
}

// float reads an element's number with a fraction.
func (f *file) float(e element) float64 {
	b := f.at(e.start, int(min(e.end-e.start, 8)))
	switch len(b) {
	case 4:
		return float64(math.Float32frombits(be.Uint32(b)))
	case 8:
		return math.Float64frombits(be.Uint64(b))
	}
	return 0
}

// matroska reads the description of a film in Matroska or WebM.
func (f *file) matroska() (info Info) {
	reach := min(f.size, segmentReach)
	f.elements(0, reach, func(e element) bool {
		if e.id != idSegment {
			return true
		}
		f.elements(e.start, min(e.end, reach), func(e element) bool {
			switch e.id {
			case idInfo:
				info.Duration = f.span(e)
			case idTracks:
				f.tracks(e, &info)
			}
			return e.id != idCluster
		})
		return false
	})
	return info
}

// span is the duration that the description states, in units of its own.
func (f *file) span(e element) time.Duration {
	scale, units := uint64(1_000_000), 0.0 // nanoseconds
	f.elements(e.start, e.end, func(e element) bool {
		switch e.id {
		case idScale:
			scale = f.uint(e)
		case idDuration:
			units = f.float(e)
		}
		return true
	})
	if d := units * float64(scale); d > 0 && d < float64(longest) {
		return time.Duration(d)
	}
	return 0
}

func (f *file) tracks(e element, info *Info) {
	f.elements(e.start, e.end, func(e element) bool {
		if e.id != idTrack {
			return true
		}
		var kind uint64
		var width, height int
		codec := "unknown"
		f.elements(e.start, e.end, func(e element) bool {
			switch e.id {
			case idType:
				kind = f.uint(e)
			case idCodec:
				codec = matroskaCodec(string(f.at(e.start, int(min(e.end-e.start, 32)))))
			case idVideo:
				f.elements(e.start, e.end, func(e element) bool {
					switch e.id {
					case idWidth:
						width = int(min(f.uint(e), 1<<16))
					case idHeight:
						height = int(min(f.uint(e), 1<<16))
					}
					return true
				})
			}
			return true
		})
		switch {
		case kind == 1 && info.Video == "":
			info.Video, info.Width, info.Height = codec, width, height
		case kind == 2 && info.Audio == "":
			info.Audio = codec
		}
		return true
	})
}

// matroskaCodec names a codec by its identifier.
func matroskaCodec(id string) string {
	for _, c := range []struct{ id, name string }{
		{"V_MPEG4/ISO/AVC", "h264"}, {"V_MPEGH/ISO/HEVC", "hevc"}, {"A_MPEG/L3", "mp3"}, {"A_PCM", "pcm"}, {"A_AAC", "aac"},
	} {
		if strings.HasPrefix(id, c.id) {
			return c.name
		}
	}
	_, name, _ := strings.Cut(id, "_")
	return plain(strings.ToLower(name))
}
