package attachment

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// wavBytes is sound of so many samples of silence.
func wavBytes(rate, channels, bits, samples int) []byte {
	le := binary.LittleEndian
	size := samples * channels * bits / 8
	b := []byte("RIFF")
	b = le.AppendUint32(b, uint32(36+size))
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00"...)
	b = le.AppendUint16(b, uint16(channels))
	b = le.AppendUint32(b, uint32(rate))
	b = le.AppendUint32(b, uint32(rate*channels*bits/8))
	b = le.AppendUint16(b, uint16(channels*bits/8))
	b = le.AppendUint16(b, uint16(bits))
	b = append(b, "data"...)
	b = le.AppendUint32(b, uint32(size))
	return append(b, make([]byte, size)...)
}

// mp4Bytes is the beginning of a film.
func mp4Bytes() []byte {
	return []byte(ftyp("isom", "isom", "mp42") + box("mdat", strings.Repeat("\x00", 100)))
}

// webmBytes is the beginning of a recording, which may be sound alone.
func webmBytes() []byte {
	return []byte("\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm\x42\x87\x81\x04")
}

// bmpBytes is a small bitmap.
func bmpBytes(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := bmp.Encode(&b, picture(6, 5, 255)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tiffBytes is the same as TIFF.
func tiffBytes(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tiff.Encode(&b, picture(6, 5, 255), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
