package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// The colours of the plan; a palette keeps the file small.
var palette = color.Palette{
	color.RGBA{0xfb, 0xfa, 0xf6, 0xff}, // paper
	color.RGBA{0xbc, 0xd7, 0xe8, 0xff}, // water
	color.RGBA{0xc9, 0xbf, 0xa6, 0xff}, // contours
	color.RGBA{0x33, 0x33, 0x33, 0xff}, // ink
	color.RGBA{0xc2, 0x4b, 0x2f, 0xff}, // axis of the bridge
	color.RGBA{0x7d, 0x8c, 0x6b, 0xff}, // path
}

// Indices into the palette.
const (
	paper = iota
	water
	contour
	ink
	axis
	path
)

const (
	planWidth, planHeight = 640, 420
	// pixelsPerMetre scales the axis, which is 18 m long.
	pixelsPerMetre = 22
	axisY          = 210
	axisX          = 122
)

// drawing is the plan while it is drawn.
type drawing struct{ *image.Paletted }

// SitePlan is the plan as a PNG.
func SitePlan() ([]byte, error) {
	d := drawing{image.NewPaletted(image.Rect(0, 0, planWidth, planHeight), palette)}
	d.stream()
	for i := range 4 {
		d.contour(60+18*float64(i), contour)
		d.contour(planWidth-58-18*float64(i), contour)
	}
	d.line(0, axisY+46, axisX, axisY, path, 3)
	d.line(axisX+18*pixelsPerMetre, axisY, planWidth, axisY-60, path, 3)
	d.line(axisX, axisY, axisX+18*pixelsPerMetre, axisY, axis, 3)
	for i, name := range []string{"A0", "A1", "A2", "S1", "S2", "S3", "S4", "S5", "S6", "B3", "B2", "B1", "B0"} {
		x := axisX + int(1.5*float64(i)*pixelsPerMetre)
		d.line(x, axisY-5, x, axisY+5, ink, 1)
		d.text(x-6, axisY+20, name)
	}
	d.text(axisX-30, axisY-16, "abutment A")
	d.text(axisX+18*pixelsPerMetre-44, axisY-16, "abutment B")
	d.text(292, 40, "mill stream")
	d.text(16, 24, "Footbridge at the mill: site plan")
	d.scale(16, planHeight-24)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, d); err != nil {
		return nil, fmt.Errorf("site plan: %w", err)
	}
	return b.Bytes(), nil
}

// bend is how far the stream has wandered at a height of the plan.
func bend(y int) float64 { return 26 * math.Sin(float64(y)/70) }

func (d drawing) stream() {
	for y := range planHeight {
		middle := axisX + 9*pixelsPerMetre + bend(y) - bend(axisY)
		for x := int(middle) - 66; x < int(middle)+66; x++ {
			d.SetColorIndex(x, y, water)
		}
	}
}

func (d drawing) contour(x float64, c uint8) {
	for y := range planHeight {
		d.SetColorIndex(int(x+0.6*bend(y)), y, c)
	}
}

// line draws a straight line of some thickness.
func (d drawing) line(x0, y0, x1, y1 int, c uint8, thick int) {
	steps := max(abs(x1-x0), abs(y1-y0), 1)
	for i := range steps + 1 {
		x, y := x0+(x1-x0)*i/steps, y0+(y1-y0)*i/steps
		for dx := range thick {
			for dy := range thick {
				d.SetColorIndex(x+dx-thick/2, y+dy-thick/2, c)
			}
		}
	}
}

func (d drawing) text(x, y int, s string) {
	(&font.Drawer{
		Dst: d, Src: image.NewUniform(palette[ink]), Face: basicfont.Face7x13, Dot: fixed.P(x, y),
	}).DrawString(s)
}

func (d drawing) scale(x, y int) {
	d.line(x, y, x+5*pixelsPerMetre, y, ink, 2)
	for _, m := range []int{0, 5} {
		d.line(x+m*pixelsPerMetre, y-4, x+m*pixelsPerMetre, y+4, ink, 1)
	}
	d.text(x+5*pixelsPerMetre+8, y+4, "5 m")
}

func abs(n int) int { return max(n, -n) }
