package attachment

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// endsPNG reports whether a PNG's chunks go on to the last one, and whether those that a picture
// needs have the sums that they state. What comes after the last one does not count.
func endsPNG(r *bufio.Reader) bool {
	if _, err := r.Discard(8); err != nil { // the signature
		return false
	}
	for {
		var head, stated [4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return false
		}
		kind, err := r.Peek(4)
		if err != nil {
			return false
		}
		last, needed := string(kind) == "IEND", kind[0]&0x20 == 0
		var sum uint32
		for left := int64(binary.BigEndian.Uint32(head[:])) + 4; left > 0; { // the sum covers the kind
			piece, err := r.Peek(int(min(left, int64(r.Size()))))
			if err != nil {
				return false
			}
			sum = crc32.Update(sum, crc32.IEEETable, piece)
			n, _ := r.Discard(len(piece)) // it is there
			left -= int64(n)
		}
		if _, err := io.ReadFull(r, stated[:]); err != nil || needed && sum != binary.BigEndian.Uint32(stated[:]) {
			return false
		}
		if last {
			return true
		}
	}
}

// endsGIF reports whether a GIF has a picture, and no block that was cut off. Some have no end
// marker, and some have other bytes in its place.
func endsGIF(r *bufio.Reader) bool {
	var head [13]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || !skipColours(r, head[10]) {
		return false
	}
	for pictures := 0; ; {
		kind, err := r.ReadByte()
		switch {
		case err == nil && kind == 0x21: // an extension, and of which kind
			_, err = r.Discard(1)
		case err == nil && kind == 0x2c:
			var place [9]byte
			if _, err = io.ReadFull(r, place[:]); err != nil || !skipColours(r, place[8]) {
				return false
			}
			pictures++
			_, err = r.Discard(1) // the size of its codes
		default:
			return pictures > 0
		}
		if err != nil || !skipBlocks(r) {
			return false
		}
	}
}

// skipColours passes over the table of colours that flags announce.
func skipColours(r *bufio.Reader, flags byte) bool {
	if flags&0x80 == 0 {
		return true
	}
	_, err := r.Discard(3 << (flags&7 + 1))
	return err == nil
}

// skipBlocks passes over blocks of data, to the empty one at their end.
func skipBlocks(r *bufio.Reader) bool {
	for {
		n, err := r.ReadByte()
		if err != nil || n == 0 {
			return err == nil
		}
		if _, err := r.Discard(int(n)); err != nil {
			return false
		}
	}
}

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
