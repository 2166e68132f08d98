package attachment

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"testing"
)

func decodePart(t *testing.T, d Delivery) (image.Image, ImagePart) {
	t.Helper()
	part, ok := d.Parts[0].(ImagePart)
	if !ok {
		t.Fatalf("not an image: %+v", d)
	}
	r, err := part.Content.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m, _, err := image.Decode(r)
	if err != nil {
		t.Fatal(err)
	}
	return m, part
}

func TestPlanImage(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	both := []string{"image/png", "image/jpeg"}
	opaque, clear := pngBytes(t, picture(200, 100, 255)), pngBytes(t, picture(200, 100, 90))
	tests := []struct {
		name string
		file string
		data []byte
		l    Limits
		used string
		mime string
		w, h int
	}{
		{"over the side", "p.png", opaque, Limits{ImageTypes: both, ImageSide: 50}, "downscaled", "image/jpeg", 50, 25},
		{"over the side, transparent", "p.png", clear, Limits{ImageTypes: both, ImageSide: 50}, "downscaled", "image/png", 50, 25},
		{"transparent, only JPEG", "p.png", clear, Limits{ImageTypes: both[1:]}, "re-encoded", "image/jpeg", 200, 100},
		{"opaque, only PNG", "p.jpg", jpegBytes(t, picture(200, 100, 255)), Limits{ImageTypes: both[:1]}, "re-encoded", "image/png", 200, 100},
		{"over the bytes, quality is enough", "p.png", opaque, Limits{ImageTypes: both, ImageBytes: 12_000}, "re-encoded", "image/jpeg", 200, 100},
		{"over the bytes", "p.png", clear, Limits{ImageTypes: both, ImageBytes: 25_000}, "downscaled", "image/png", 140, 70},
		{"a type to change", "w.webp", tinyWebP, Limits{ImageTypes: both}, "re-encoded", "image/png", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			it, src := itemOf(t, tt.file, tt.data)
			d := plan(t, p, it, src, tt.l, false)
			_, part := decodePart(t, d)
			if d.Used != tt.used || part.MIMEType != tt.mime || part.Width != tt.w || part.Height != tt.h {
				t.Errorf("got %s, %s %d×%d, %d bytes", d.Used, part.MIMEType, part.Width, part.Height, part.Content.Size())
			}
		})
	}
	it, src := itemOf(t, "p.png", opaque)
	if d := plan(t, p, it, src, Limits{ImageTypes: both, ImageBytes: 50}, false); d.Used != "note" {
		t.Errorf("fits into 50 bytes: %+v", d)
	}
}

// An animation is sent as its first frame, where the animation shows it.
func TestPlanAnimation(t *testing.T) {
	t.Parallel()
	palette := color.Palette{color.Black, color.White}
	first := image.NewPaletted(image.Rect(5, 5, 10, 10), palette)
	for i := range first.Pix {
		first.Pix[i] = 1
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &gif.GIF{
		Image: []*image.Paletted{first, image.NewPaletted(image.Rect(0, 0, 20, 20), palette)}, Delay: []int{1, 1},
		Config: image.Config{Width: 20, Height: 20, ColorModel: palette},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlanner(t, PlannerOptions{})
	it, src := itemOf(t, "a.gif", b.Bytes())
	m, part := decodePart(t, plan(t, p, it, src, Limits{ImageTypes: []string{"image/png"}}, false))
	if part.Width != 20 || part.Height != 20 {
		t.Fatalf("%d×%d", part.Width, part.Height)
	}
	if r, _, _, a := m.At(7, 7).RGBA(); r != 0xffff || a != 0xffff {
		t.Errorf("inside the frame: %v", m.At(7, 7))
	}
	if _, _, _, a := m.At(1, 1).RGBA(); a != 0 {
		t.Errorf("outside the frame: %v", m.At(1, 1))
	}
}

// A photo taken with the camera on its side is turned upright, because the
// re-encoded one has no EXIF data to say so.
func TestPlanTurnsPhotos(t *testing.T) {
	t.Parallel()
	// A corner that only one orientation puts at the top left.
	corners := map[int]image.Point{1: {2, 2}, 2: {37, 2}, 3: {37, 17}, 4: {2, 17}, 5: {2, 2}, 6: {17, 2}, 7: {17, 37}, 8: {2, 37}}
	p := newPlanner(t, PlannerOptions{})
	for turn, at := range corners {
		for name, order := range map[string]binary.AppendByteOrder{"II": binary.LittleEndian, "MM": binary.BigEndian} {
			m := image.NewRGBA(image.Rect(0, 0, 40, 20))
			for i := range m.Pix {
				m.Pix[i] = 255
			}
			for y := range 5 {
				for x := range 5 {
					m.Set(x, y, color.Black)
				}
			}
			it, src := itemOf(t, "p.jpg", withOrientation(t, m, name, order, turn))
			got, part := decodePart(t, plan(t, p, it, src, Limits{ImageTypes: []string{"image/png"}}, false))
			if sideways := turn >= 5; sideways != (part.Height == 40) {
				t.Errorf("orientation %d: %d×%d", turn, part.Width, part.Height)
			}
			if gray := color.GrayModel.Convert(got.At(at.X, at.Y)).(color.Gray); gray.Y > 80 {
				t.Errorf("orientation %d (%s): the corner is not at %v", turn, name, at)
			}
		}
	}
}

// withOrientation is a JPEG whose EXIF data hold one tag.
func withOrientation(t *testing.T, m image.Image, mark string, order binary.AppendByteOrder, turn int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	exif := append([]byte("Exif\x00\x00"), mark...)
	exif = order.AppendUint16(exif, 42)
	exif = order.AppendUint32(exif, 8)
	exif = order.AppendUint16(exif, 1)
	exif = order.AppendUint16(exif, 0x0112)
	exif = order.AppendUint16(exif, 3)
	exif = order.AppendUint32(exif, 1)
	exif = order.AppendUint16(exif, uint16(turn))
	exif = append(exif, 0, 0)
	out := []byte{0xff, 0xd8, 0xff, 0xe1}
	out = binary.BigEndian.AppendUint16(out, uint16(len(exif)+2))
	return append(append(out, exif...), b.Bytes()[2:]...)
}
