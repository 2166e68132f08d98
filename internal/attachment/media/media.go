// Package media recognises sound and film by their first bytes ([Sniff]) and reads
// from their headers how long they are and what they are encoded with ([Probe]).
//
// It decodes nothing. Every number in a file is taken for a claim: what a length
// would lead to must lie within what holds it, positions only grow, the elements
// that are looked at are counted, and no memory is sized by the file. A file that
// says nothing useful gives a zero [Info], not an error.
package media

import (
	"encoding/binary"
	"io"
	"strings"
	"time"
)

// Info is what a file's header says of it. The zero value says nothing.
type Info struct {
	// Duration is 0 where it is not known; it is never negative.
	Duration time.Duration
	// Video and Audio name the codecs of the first track of each kind ("h264",
	// "aac"), empty where there is no such track.
	Video, Audio string
	// Width and Height are pixels of the first video track, 0 when unknown.
	Width, Height int
}

// Codec lists the codecs, "h264, aac".
func (i Info) Codec() string {
	return strings.Trim(i.Video+", "+i.Audio, ", ")
}

// maxElements is how many boxes, pages or chunks of one file are looked at.
const maxElements = 4096

// longest is the longest duration that is believed.
const longest = 90 * 24 * time.Hour

// Probe reads the header of a file of size bytes whose type [Sniff] told. It
// reads at most some hundred kilobytes, wherever in the file they are.
func Probe(r io.ReaderAt, size int64, mime string) Info {
	f := &file{r: r, size: size}
	switch mime {
	case MP4, M4A, QuickTime, ThreeGP:
		return f.mp4()
	case WAV:
		return f.wav()
	case FLAC:
		return f.flac()
	case OggAudio, OggVideo:
		return f.ogg()
	case Matroska, WebM:
		return f.matroska()
	}
	return Info{}
}

// file reads what is within a file and counts what was looked at.
type file struct {
	r    io.ReaderAt
	size int64
	seen int
}

// more reports whether another element may be looked at.
func (f *file) more() bool {
	f.seen++
	return f.seen <= maxElements
}

// at returns n bytes at an offset, nil where they are not all there.
func (f *file) at(offset int64, n int) []byte {
	if offset < 0 || n < 0 || offset > f.size-int64(n) {
		return nil
	}
	b := make([]byte, n)
	if got, _ := f.r.ReadAt(b, offset); got < n { // a file that shrinks is no better than one that lies
		return nil
	}
	return b
}

// length is units of 1/rate seconds, 0 where that makes no duration.
func length(units, rate uint64) time.Duration {
	if rate == 0 || units/rate > uint64(longest/time.Second) {
		return 0
	}
	whole := time.Duration(units/rate) * time.Second
	return whole + time.Duration(float64(units%rate)/float64(rate)*float64(time.Second))
}

var (
	be = binary.BigEndian
	le = binary.LittleEndian
)
