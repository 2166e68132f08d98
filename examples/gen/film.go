package main

import (
	"bytes"
	"encoding/binary"
)

// The film: a ball that rolls from left to right, uncompressed.
const (
	filmWidth, filmHeight = 32, 24
	filmFrames, filmRate  = 8, 4 // frames, and how many of them a second has
	frameBytes            = filmWidth * filmHeight * 3
)

// Film is a QuickTime file of two seconds.
func Film() []byte {
	var frames bytes.Buffer
	for i := range filmFrames {
		frames.Write(frame(4 + i*3))
	}
	kind := box("ftyp", "qt  ", uint32(0), "qt  ")
	first := uint32(len(kind) + 8) // where the frames begin, behind the head of their box
	return bytes.Join([][]byte{kind, box("mdat", frames.Bytes()), movie(first)}, nil)
}

// frame is a picture with the ball at x.
func frame(x int) []byte {
	pixels := make([]byte, 0, frameBytes)
	for v := range filmHeight {
		for u := range filmWidth {
			c := []byte{0xfb, 0xfa, 0xf6}
			if dx, dy := u-x, v-filmHeight/2; dx*dx+dy*dy < 16 {
				c = []byte{0xc2, 0x4b, 0x2f}
			}
			pixels = append(pixels, c...)
		}
	}
	return pixels
}

// movie is the table of contents.
func movie(first uint32) []byte {
	const length = filmFrames // in units of one frame
	sizes := make([]any, 0, filmFrames)
	for range filmFrames {
		sizes = append(sizes, uint32(frameBytes))
	}
	description := box("raw ", make([]byte, 6), uint16(1), make([]byte, 16), uint16(filmWidth), uint16(filmHeight),
		uint32(72<<16), uint32(72<<16), uint32(0), uint16(1), make([]byte, 32), uint16(24), int16(-1))
	samples := box("stbl",
		box("stsd", uint32(0), uint32(1), description),
		box("stts", uint32(0), uint32(1), uint32(filmFrames), uint32(1)),
		box("stsc", uint32(0), uint32(1), uint32(1), uint32(filmFrames), uint32(1)),
		box("stsz", append([]any{uint32(0), uint32(0), uint32(filmFrames)}, sizes...)...),
		box("stco", uint32(0), uint32(1), first))
	media := box("mdia",
		box("mdhd", uint32(0), uint32(0), uint32(0), uint32(filmRate), uint32(length), uint32(0)),
		box("hdlr", uint32(0), "mhlr", "vide", make([]byte, 12), uint8(0)),
		box("minf", box("vmhd", uint32(1), make([]byte, 8)), box("dinf", box("dref", uint32(0), uint32(1), box("url ", uint32(1)))), samples))
	track := box("trak",
		box("tkhd", uint32(7), uint32(0), uint32(0), uint32(1), uint32(0), uint32(length), make([]byte, 16), unity(), uint32(filmWidth<<16), uint32(filmHeight<<16)),
		media)
	return box("moov",
		box("mvhd", uint32(0), uint32(0), uint32(0), uint32(filmRate), uint32(length), uint32(1<<16), uint16(1<<8), make([]byte, 10), unity(), make([]byte, 24), uint32(2)),
		track)
}

// unity is the matrix that leaves a picture as it is.
func unity() []byte {
	var b bytes.Buffer
	for _, v := range []uint32{1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30} {
		_ = binary.Write(&b, binary.BigEndian, v) // memory takes all
	}
	return b.Bytes()
}

// box is an atom of the file: its length, its name, and what is in it.
func box(name string, parts ...any) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		if text, ok := p.(string); ok {
			p = []byte(text)
		}
		_ = binary.Write(&b, binary.BigEndian, p) // memory takes all
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(8+b.Len()))
	return append(append(head, name...), b.Bytes()...)
}
