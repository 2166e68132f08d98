package attachment

import (
	"bufio"
	"encoding/binary"
	"image"
)

// exifPeek is how far into a JPEG its orientation is looked for; cameras write
// it first.
const exifPeek = 32 << 10

// orientation returns a JPEG's EXIF orientation, 1 to 8, without consuming
// anything; 1, upright, for all else. A re-encoded picture has no EXIF data, so
// it must be turned by what the original said.
func orientation(r *bufio.Reader) int {
	head, _ := r.Peek(exifPeek) // a short file gives what there is
	if len(head) < 4 || head[0] != 0xff || head[1] != 0xd8 {
		return 1
	}
	for at := 2; at+4 <= len(head) && head[at] == 0xff; {
		marker := head[at+1]
		size := int(binary.BigEndian.Uint16(head[at+2:]))
		if marker == 0xda || size < 2 {
			return 1
		}
		end := min(at+2+size, len(head))
		if body := head[at+4 : max(at+4, end)]; marker == 0xe1 && len(body) > 6 && string(body[:6]) == "Exif\x00\x00" {
			return tiffOrientation(body[6:])
		}
		at += 2 + size
	}
	return 1
}

// tiffOrientation reads tag 0x0112 of the first directory.
func tiffOrientation(b []byte) int {
	if len(b) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(b[:2]) == "MM" {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(b[4:]))
	if at < 8 || at+2 > int64(len(b)) {
		return 1
	}
	count := int64(order.Uint16(b[at:]))
	for i := range count {
		entry := at + 2 + i*12
		if entry+12 > int64(len(b)) {
			return 1
		}
		if order.Uint16(b[entry:]) == 0x0112 {
			if v := int(order.Uint16(b[entry+8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
	}
	return 1
}

// turned returns src as its orientation says it is to be seen.
func turned(src *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 || orientation > 8 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	dst := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			dx, dy := x, y
			switch orientation {
			case 2:
				dx = w - 1 - x
			case 3:
				dx, dy = w-1-x, h-1-y
			case 4:
				dy = h - 1 - y
			case 5:
				dx, dy = y, x
			case 6:
				dx, dy = h-1-y, x
			case 7:
				dx, dy = h-1-y, w-1-x
			case 8:
				dx, dy = y, w-1-x
			}
			copy(dst.Pix[dst.PixOffset(dx, dy):], src.Pix[src.PixOffset(x, y):src.PixOffset(x, y)+4])
		}
	}
	return dst
}
