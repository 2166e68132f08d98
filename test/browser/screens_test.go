package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// screens are the views that docs/screens.md shows.
var screens = []string{"new", "session", "inbox", "question", "closed", "settings", "usage", "devices"}

// maxScreen bounds a picture of the documentation, in bytes.
const maxScreen = 60 << 10

// Each view of inbox, workbench and settings, light and dark, on a desktop and on a phone, is a
// small picture. With BELAY_SCREENS=../../docs/images they are those of the documentation
// (make screens).
func TestScreens(t *testing.T) {
	to := os.Getenv("BELAY_SCREENS")
	b := asking(t)
	b.visit("s/s1")
	b.do(chromedp.WaitEnabled(message), chromedp.SendKeys(message, "The survey names **three** points; `D2` is 4 cm too high."), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	for _, v := range views() {
		if !slices.Contains(screens, v.name) {
			continue
		}
		for _, scheme := range []string{"light", "dark"} {
			for device, size := range map[string][2]int64{"desktop": {1200, 800}, "phone": {360, 740}} {
				if to == "" && (scheme == "light") != (device == "desktop") {
					continue // two of the four show that pictures can be taken
				}
				b.do(chromedp.EmulateViewport(size[0], size[1]), colours(scheme))
				b.visit(v.path)
				ready := v.ready
				if v.name == "session" {
					ready = ".md strong"
				}
				b.until("document.querySelector(" + strconv.Quote(ready) + ")")
				value[bool](b, "document.activeElement?.blur?.() === undefined")
				data := b.screen()
				name := fmt.Sprintf("%s-%s-%s.png", v.name, device, scheme)
				if len(data) > maxScreen || len(data) < 1<<10 {
					t.Errorf("%s has %d bytes", name, len(data))
				}
				if to == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(to, "screens-"+name), data, 0o644); err != nil { //nolint:gosec // a picture for everybody
					t.Fatal(err)
				}
			}
		}
	}
}

// screen is what the tab shows, as a picture of at most 256 colours: its text needs no more.
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

// fewColours is a picture with its 256 most frequent colours; each other one becomes the
// nearest of them.
func fewColours(from image.Image) *image.Paletted {
	count := map[color.RGBA]int{}
	area := from.Bounds()
	at := func(x, y int) color.RGBA {
		r, g, b, _ := from.At(x, y).RGBA()
		return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255} //nolint:gosec // eight bits
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	all := make([]color.RGBA, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int { return count[b] - count[a] })
	var palette color.Palette
	known := map[color.RGBA]uint8{}
	for _, c := range all[:min(len(all), 256)] {
		known[c] = uint8(len(palette)) //nolint:gosec // at most 256
		palette = append(palette, c)
	}
	to := image.NewPaletted(area, palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := at(x, y)
			i, ok := known[c]
			if !ok {
				i = uint8(palette.Index(c)) //nolint:gosec // at most 256
				known[c] = i
			}
			to.SetColorIndex(x, y, i)
		}
	}
	return to
}
