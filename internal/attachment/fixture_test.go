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

// mp4Bytes is a film of units of 1/rate seconds with a track for each codec.
func mp4Bytes(units, rate uint32, codecs ...string) []byte {
	number := func(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	tracks := ""
	for _, codec := range codecs {
		handler, width, height := "soun", uint32(0), uint32(0)
		if codec == "avc1" {
			handler, width, height = "vide", 640<<16, 360<<16
		}
		tracks += box("trak",
			box("tkhd", zeros(76), number(width), number(height)),
			box("mdia",
				box("mdhd", zeros(12), number(rate), number(units), zeros(4)),
				box("hdlr", zeros(8), handler, zeros(12)),
				box("minf", box("stbl", box("stsd", zeros(4), number(1), box(codec, zeros(8)))))))
	}
	return []byte(ftyp("isom", "isom", "mp42") + box("moov", box("mvhd", zeros(12), number(rate), number(units), zeros(80)), tracks) + box("mdat", zeros(100)))
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
