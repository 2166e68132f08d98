package browser

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"

	"github.com/chromedp/chromedp"
)

// screen is what the tab shows, as a small picture.
func (b *tab) screen() []byte {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	whole, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColours(whole)); err != nil {
		b.t.Fatal(err)
	}
	return small.Bytes()
}

// maxColours bounds those of a picture. The page needs few, and letters look no better with more.
const maxColours = 64

// fewColours is a picture with some of its colours; each other one becomes the nearest of them.
func fewColours(from image.Image) *image.Paletted {
	area := from.Bounds()
	at := func(x, y int) color.RGBA {
		r, g, b, _ := from.At(x, y).RGBA()
		return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255} //nolint:gosec // eight bits
	}
	count := map[color.RGBA]int{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	chosen := spread(count, maxColours)
	palette := make(color.Palette, len(chosen))
	known := map[color.RGBA]uint8{}
	for i, c := range chosen {
		palette[i], known[c] = c, uint8(i) //nolint:gosec // few
	}
	to := image.NewPaletted(area, palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := at(x, y)
			i, ok := known[c]
			if !ok {
				i = uint8(palette.Index(c)) //nolint:gosec // few
				known[c] = i
			}
			to.SetColorIndex(x, y, i)
		}
	}
	return to
}

// spread chooses so many colours: one after the other that which is most missed, because it
// is frequent and far from all that are chosen.
func spread(count map[color.RGBA]int, most int) []color.RGBA {
	type candidate struct {
		colour color.RGBA
		weight float64
		far    float64 // the square of the distance to the nearest chosen one
	}
	var all []candidate
	for c, n := range count {
		all = append(all, candidate{c, math.Sqrt(float64(n)), math.MaxInt32})
	}
	// The order of a map is another one each time.
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.colour.R, b.colour.R), cmp.Compare(a.colour.G, b.colour.G), cmp.Compare(a.colour.B, b.colour.B))
	})
	var chosen []color.RGBA
	for len(chosen) < min(most, len(all)) {
		best := 0
		for i, c := range all {
			if c.weight*c.far > all[best].weight*all[best].far {
				best = i
			}
		}
		pick := all[best].colour
		chosen = append(chosen, pick)
		for i := range all {
			r, g, b := float64(all[i].colour.R)-float64(pick.R), float64(all[i].colour.G)-float64(pick.G), float64(all[i].colour.B)-float64(pick.B)
			all[i].far = min(all[i].far, r*r+g*g+b*b)
		}
	}
	return chosen
}
