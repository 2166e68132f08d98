package attachment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"slices"

	"golang.org/x/image/draw"
)

// jpegQualities are tried from the best; what is still too large is shrunk.
var jpegQualities = []int{88, 76, 62}

// An image that does not fit at minSide is given up; every round shrinks to
// shrinkBy of the side before.
const (
	minSide  = 32
	shrinkBy = 0.7
)

// onCanvas puts the first frame of an animation where the animation shows it;
// other pictures are their own canvas.
func onCanvas(picture image.Image, cfg image.Config) image.Image {
	b := picture.Bounds()
	if b.Dx() == cfg.Width && b.Dy() == cfg.Height {
		return picture
	}
	canvas := image.NewRGBA(image.Rect(0, 0, cfg.Width, cfg.Height))
	draw.Draw(canvas, b, picture, b.Min, draw.Src)
	return canvas
}

// shrink encodes picture within c's side and bytes, as large as possible: the
// side first, then the quality, then smaller sides.
func shrink(ctx context.Context, picture image.Image, turn int, c choice) (made, error) {
	b := picture.Bounds()
	side := float64(max(b.Dx(), b.Dy()))
	scale := 1.0
	if c.side > 0 && side > float64(c.side) {
		scale = float64(c.side) / side
	}
	floor := min(minSide, side*scale)
	for ; side*scale >= floor; scale *= shrinkBy {
		if err := ctx.Err(); err != nil {
			return made{}, err
		}
		drawn := turned(scaled(picture, scale), turn)
		data, mime, err := encode(drawn, c)
		if err != nil {
			return made{}, err
		}
		if data != nil {
			size := drawn.Bounds()
			return made{
				rendition: rendition{MIMEType: mime, Width: size.Dx(), Height: size.Dy()},
				data:      data,
			}, nil
		}
	}
	return made{}, unfit(fmt.Sprintf("it cannot be made to fit into %d bytes", c.bytes))
}

// scaled draws picture on a new canvas at scale. Halving and more needs a filter
// that looks at every pixel; above that the fast one is as good.
func scaled(picture image.Image, scale float64) *image.RGBA {
	b := picture.Bounds()
	w := max(1, int(math.Floor(float64(b.Dx())*scale)))
	h := max(1, int(math.Floor(float64(b.Dy())*scale)))
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	switch {
	case w == b.Dx() && h == b.Dy():
		draw.Draw(out, out.Bounds(), picture, b.Min, draw.Src)
	case scale > 0.5:
		draw.ApproxBiLinear.Scale(out, out.Bounds(), picture, b, draw.Src, nil)
	default:
		draw.BiLinear.Scale(out, out.Bounds(), picture, b, draw.Src, nil)
	}
	return out
}

// encode tries the types and qualities of c and returns nil where none fits.
// Opaque pictures become JPEG, others PNG, if the model takes that.
func encode(picture *image.RGBA, c choice) ([]byte, string, error) {
	types := c.types
	if !picture.Opaque() && slices.Contains(types, mimePNG) {
		types = []string{mimePNG}
	} else if slices.Contains(types, mimeJPEG) {
		types = []string{mimeJPEG}
	}
	for _, mime := range types {
		if mime == mimePNG {
			data, err := encodeWithin(c.bytes, func(w io.Writer) error { return png.Encode(w, picture) })
			if data != nil || err != nil {
				return data, mime, err
			}
			continue
		}
		flat := flattened(picture)
		for _, quality := range jpegQualities {
			data, err := encodeWithin(c.bytes, func(w io.Writer) error {
				return jpeg.Encode(w, flat, &jpeg.Options{Quality: quality})
			})
			if data != nil || err != nil {
				return data, mime, err
			}
		}
	}
	return nil, "", nil
}

// flattened puts a picture that is not opaque on white, for formats without
// transparency.
func flattened(picture *image.RGBA) image.Image {
	if picture.Opaque() {
		return picture
	}
	out := image.NewRGBA(picture.Bounds())
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), picture, picture.Bounds().Min, draw.Over)
	return out
}

var errTooLong = errors.New("longer than the limit")

// encodeWithin returns what write writes, or nil once it is more than limit.
func encodeWithin(limit int64, write func(io.Writer) error) ([]byte, error) {
	w := &cappedBuffer{limit: limit}
	err := write(w)
	if errors.Is(err, errTooLong) {
		return nil, nil
	}
	if err != nil {
		return nil, unfit("it cannot be encoded")
	}
	return w.b.Bytes(), nil
}

type cappedBuffer struct {
	b     bytes.Buffer
	limit int64
}

func (w *cappedBuffer) Write(p []byte) (int, error) {
	if !under(int64(w.b.Len()+len(p)), w.limit) {
		return 0, errTooLong
	}
	return w.b.Write(p)
}
