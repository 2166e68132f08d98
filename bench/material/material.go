// Package material makes the files that the benchmark attaches: valid, within
// every limit, and as heavy as those allow.
package material

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math/rand/v2"
)

// Sizes just under the limits of one image (5 MiB) and of a turn (18 MiB).
const (
	imageSide = 1320 // pixels; its noise is 5.2 MB that nothing compresses
	// PDFBytes is the size of the document.
	PDFBytes = 3<<20 - 64<<10
)

// PNG is a square of noise, just under 5 MiB. Pictures of different seeds
// differ, and the same seed gives the same bytes.
func PNG(seed uint64) ([]byte, error) {
	img := image.NewNRGBA(image.Rect(0, 0, imageSide, imageSide))
	noise := rand.NewChaCha8([32]byte{byte(seed)})
	_, _ = noise.Read(img.Pix) // never fails
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 0xff // opaque, so that a pixel is three bytes
	}
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.NoCompression}
	if err := enc.Encode(&b, img); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Stamp returns the picture with a comment in it: other bytes, the same pixels.
func Stamp(picture []byte, comment string) []byte {
	const header = 8 + 4 + 4 + 13 + 4 // the signature and the IHDR chunk
	chunk := append([]byte("tEXt"), "Comment\x00"+comment...)
	out := bytes.NewBuffer(make([]byte, 0, len(picture)+len(chunk)+8))
	out.Write(picture[:header])
	_ = binary.Write(out, binary.BigEndian, uint32(len(chunk)-4)) // to memory
	out.Write(chunk)
	_ = binary.Write(out, binary.BigEndian, crc32.ChecksumIEEE(chunk))
	out.Write(picture[header:])
	return out.Bytes()
}

// PDF is a document of three pages, each with a picture of noise and a line of
// text, of about [PDFBytes]. Documents of different comments differ.
func PDF(comment string) []byte {
	const pages, width = 3, 512
	rows := PDFBytes / pages / (width * 3)
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(offsets))
		fmt.Fprintf(&b, format, args...)
		b.WriteString("\nendobj\n")
	}
	stream := func(dict string, data []byte) {
		object("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
	}
	fmt.Fprintf(&b, "%%PDF-1.4\n%% %s\n", comment)
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Count %d /Kids [4 0 R 7 0 R 10 0 R] >>", pages)
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	noise := rand.NewChaCha8([32]byte{'p', 'd', 'f'})
	for page := range pages {
		first := len(offsets) + 1
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "+
			"/Resources << /Font << /F 3 0 R >> /XObject << /I %d 0 R >> >> >>", first+1, first+2)
		stream("", fmt.Appendf(nil, "q 400 0 0 400 90 200 cm /I Do Q BT /F 18 Tf 90 780 Td (Page %d) Tj ET", page+1))
		pixels := make([]byte, width*rows*3)
		_, _ = noise.Read(pixels) // never fails
		stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8", width, rows), pixels)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return b.Bytes()
}
