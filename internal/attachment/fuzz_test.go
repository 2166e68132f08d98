package attachment

import (
	"bytes"
	"context"
	"image"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
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

// Whatever is in a PDF, its plan is no error and within the limits.
func FuzzPlanPDF(f *testing.F) {
	text := strings.Repeat("Some words that convince. ", 5)
	f.Add(pdfBytes(f, nil, text), uint16(40), uint8(1))
	f.Add(pdfBytes(f, nil, text, text, text), uint16(0), uint8(2))
	f.Add(pdfBytes(f, nil, "\n"+text), uint16(2), uint8(2))
	p := newPlanner(f, PlannerOptions{})
	f.Fuzz(func(t *testing.T, data []byte, size uint16, pages uint8) {
		it := Item{Kind: KindPDF, MIMEType: mimePDF, SHA256: bytesContent(data).SHA256(), Name: "f.pdf", Bytes: int64(len(data))}
		plan(t, p, it, bytesContent(data), Limits{TextBytes: int64(size)}, false)
		it.Pages = int(pages)
		plan(t, p, it, bytesContent(data), Limits{PDF: pages > 0, PDFPages: 2, TextBytes: int64(size)}, false)
	})
}

// Whatever the document and the limits, the delivery is within them.
func TestPlanPDFsWithinLimits(t *testing.T) {
	t.Parallel()
	p := newCompiledPlanner(t)
	rapid.Check(t, func(r *rapid.T) {
		pages := make([]string, rapid.IntRange(1, 6).Draw(r, "pages"))
		for i := range pages {
			pages[i] = strings.Repeat("A page with words on it. ", rapid.IntRange(4, 40).Draw(r, "sentences"))
		}
		data := pdfBytes(t, nil, pages...)
		it := Item{
			Kind: KindPDF, MIMEType: mimePDF, Name: "d.pdf", Pages: len(pages),
			SHA256: bytesContent(data).SHA256(), Bytes: int64(len(data)),
		}
		l := Limits{
			PDF:       rapid.Bool().Draw(r, "pdf"),
			PDFBytes:  rapid.SampledFrom([]int64{0, 1000, 2000, 1 << 20}).Draw(r, "bytes"),
			PDFPages:  rapid.IntRange(0, 6).Draw(r, "most pages"),
			TextBytes: rapid.SampledFrom([]int64{0, 60, 100, 1000, 1 << 20}).Draw(r, "text"),
		}
		d := plan(t, p, it, bytesContent(data), l, false)
		native := l.PDF && under(it.Bytes, l.PDFBytes) && under(int64(it.Pages), int64(l.PDFPages))
		if native != (d.Used == "native") {
			r.Errorf("used %q", d.Used)
		}
	})
}
