package attachment

import (
	"bufio"
	"encoding/binary"
	"io"
)

// progressive reports whether a JPEG sends its picture in passes. Its decoder
// keeps the coefficients of all passes, four times the memory of the picture, so
// such pictures count double against the limits.
func progressive(r *bufio.Reader) bool {
	var b [4]byte
	if _, err := io.ReadFull(r, b[:2]); err != nil || b[0] != 0xff || b[1] != 0xd8 {
		return false
	}
	for {
		if _, err := io.ReadFull(r, b[:]); err != nil || b[0] != 0xff {
			return false
		}
		for b[1] == 0xff { // fill bytes before a marker
			copy(b[1:], b[2:])
			next, err := r.ReadByte()
			if err != nil {
				return false
			}
			b[3] = next
		}
		size := int(binary.BigEndian.Uint16(b[2:]))
		switch marker := b[1]; {
		case marker == 0xc2:
			return true
		case marker == 0xc0, marker == 0xc1, marker == 0xda, size < 2:
			return false
		}
		if _, err := r.Discard(size - 2); err != nil {
			return false
		}
	}
}
