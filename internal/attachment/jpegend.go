package attachment

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// endsJPEG reports whether a JPEG goes on to its end marker. The segments before its pixels are
// passed over: a small picture in them has an end of its own. Among the pixels the marker
// cannot be by chance. What comes after it, as of phones that add a film, does not count.
// What is no JPEG at all is left to others.
func endsJPEG(r *bufio.Reader) bool {
	if _, err := r.Discard(2); err != nil { // the signature
		return false
	}
	for {
		marker, err := nextMarker(r)
		switch {
		case err != nil:
			return false
		case marker == 0xda:
			return holdsEnd(r)
		case marker == 0xd9:
			return true
		case marker == 0x01, marker >= 0xd0 && marker <= 0xd8: // without a length
			continue
		}
		var size [2]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return false
		}
		if _, err := r.Discard(max(int(binary.BigEndian.Uint16(size[:]))-2, 0)); err != nil {
			return false
		}
	}
}

// nextMarker returns the second byte of the next marker, which has any number of 0xff before it.
func nextMarker(r *bufio.Reader) (byte, error) {
	for after := false; ; {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case b == 0xff:
			after = true
		case after && b != 0:
			return b, nil
		default:
			after = false
		}
	}
}

// holdsEnd reports whether an end marker is in the rest of a JPEG.
func holdsEnd(r *bufio.Reader) bool {
	for after := false; ; {
		piece, err := r.ReadSlice(0xd9)
		if n := len(piece); n > 0 && piece[n-1] == 0xd9 && (n == 1 && after || n > 1 && piece[n-2] == 0xff) {
			return true
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false
		}
		after = piece[len(piece)-1] == 0xff // at the end of a full buffer
	}
}
