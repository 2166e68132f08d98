package settings

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// picture makes a picture of one colour.
func picture(b *bench, name string, width, height int) string {
	b.t.Helper()
	p := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	var data bytes.Buffer
	must(b.t, png.Encode(&data, p))
	return b.file(name, data.String())
}
