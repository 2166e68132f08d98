package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
)

// shape is a picture for the classifier: one shape in one colour on white.
type shape struct {
	colour color.Color
	// holds reports whether a point from -1 to 1 is in the shape.
	holds func(x, y float64) bool
}

var shapes = map[string]shape{
	"1": {color.RGBA{0xc2, 0x2f, 0x2f, 0xff}, func(x, y float64) bool { return x*x+y*y < 0.6 }},
	"2": {color.RGBA{0x2f, 0x55, 0xc2, 0xff}, func(x, y float64) bool { return math.Abs(x) < 0.7 && math.Abs(y) < 0.7 }},
	"3": {color.RGBA{0x2f, 0x8c, 0x4b, 0xff}, func(x, y float64) bool { return y < 0.7 && y > 2*math.Abs(x)-0.7 }},
}

func (s shape) picture() ([]byte, error) {
	const size = 96
	img := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.White, s.colour})
	for y := range size {
		for x := range size {
			if s.holds(2*float64(x)/size-1, 2*float64(y)/size-1) {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// Tone is half a second of 440 Hz that dies away, as WAV.
func Tone() []byte {
	const rate, samples, pitch = 8000, 4000, 440
	var sound bytes.Buffer
	for i := range samples {
		fade := 1 - float64(i)/samples
		_ = binary.Write(&sound, binary.LittleEndian, int16(12000*fade*math.Sin(2*math.Pi*pitch*float64(i)/rate))) // memory takes all
	}
	var b bytes.Buffer
	b.WriteString("RIFF")
	little(&b, uint32(36+sound.Len()))
	b.WriteString("WAVEfmt ")
	little(&b, uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2*rate), uint16(2), uint16(16))
	b.WriteString("data")
	little(&b, uint32(sound.Len()))
	b.Write(sound.Bytes())
	return b.Bytes()
}

func little(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, binary.LittleEndian, v) // memory takes all
	}
}
