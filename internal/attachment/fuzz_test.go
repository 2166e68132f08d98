package attachment

import (
	"bytes"
	"context"
	"image"
	"slices"
	"testing"
	"unicode/utf8"
)

// Whatever the bytes and the extension, a file becomes an item that is what it
// says, or a refusal for a reason that lies in its bytes.
func FuzzResolve(f *testing.F) {
	list := DefaultExtensions()
	for i := range list {
		ext := uint8(i)
		f.Add(ext, pngBytes(f, picture(3, 3, 255)))
		f.Add(ext, pdfBytes(f, nil, "x"))
		f.Add(ext, []byte("täxt"))
		f.Add(ext, utf16Bytes("täxt", 1, 0))
	}
	f.Add(uint8(0), tinyGIF)
	f.Add(uint8(0), tinyWebP)
	f.Fuzz(func(t *testing.T, ext uint8, data []byte) {
		path := write(t, "f"+list[int(ext)%len(list)], data)
		r, err := Resolve(context.Background(), []string{path}, Policy{}, newStore())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Items) == 0 {
			if len(r.Refused) != 1 || !slices.Contains([]Code{KindMismatch, NotUTF8}, r.Refused[0].Code) {
				t.Errorf("got %+v", r)
			}
			return
		}
		it := r.Items[0]
		if len(r.Refused) != 0 || it.Bytes != int64(len(data)) || it.SHA256 != bytesContent(data).SHA256() {
			t.Errorf("got %+v", r)
		}
		switch it.Kind {
		case KindImage:
			cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
			if err != nil || cfg.Width != it.Width || cfg.Height != it.Height {
				t.Errorf("%+v: %+v, %v", it, cfg, err)
			}
		case KindPDF:
			if !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) {
				t.Errorf("%+v has no header", it)
			}
		case KindText:
			if it.Charset == "" && !utf8.Valid(data) || bytes.HasPrefix(data, []byte("%PDF-")) {
				t.Errorf("%+v: %q", it, data)
			}
		default:
			t.Errorf("kind %q", it.Kind)
		}
	})
}
