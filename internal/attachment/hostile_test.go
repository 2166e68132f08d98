package attachment

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"strings"
	"testing"
	"time"

	"belay/internal/attachment/pdf"
)

// hugePNG says that it has so many pixels; its data hold none of them.
func hugePNG(t testing.TB, side uint32, bits byte) []byte {
	t.Helper()
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		body := append([]byte(kind), data...)
		b = append(b, body...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(body))
	}
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, side), side)
	chunk("IHDR", append(size, bits, 6, 0, 0, 0))
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	chunk("IDAT", packed.Bytes())
	chunk("IEND", nil)
	return b
}

// hugeJPEG says that it has so many pixels; frame is its kind.
func hugeJPEG(side uint16, frame byte) []byte {
	b := append([]byte{0xff, 0xd8, 0xff, 0xe0, 0, 4, 'x', 'x'}, 0xff, 0xff, frame, 0, 17, 8)
	b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, side), side)
	return append(b, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 0xff, 0xda, 0, 12, 0xff, 0xd9)
}

// film is an animation of many frames on a large canvas.
func film(t testing.TB, side, frames int) []byte {
	t.Helper()
	frame := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black, color.White})
	g := &gif.GIF{Config: image.Config{Width: side, Height: side}}
	for range frames {
		g.Image, g.Delay = append(g.Image, frame), append(g.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zipBomb is a document as an office would write it, of a megabyte of nothing per
// kilobyte.
func zipBomb(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("word/document.xml")
	if err == nil {
		_, err = w.Write(make([]byte, 2<<20))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pdfOf is a PDF of the given objects.
func pdfOf(objects ...string) []byte {
	b := []byte("%PDF-1.7\n")
	for i, o := range objects {
		b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	return append(b, "trailer << /Root 1 0 R >>\n"...)
}

// Files that were made to cost end at once, each in a refusal or a note that says
// what is wrong with it, or in what can be sent of it.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	small := Limits{ImageTypes: []string{"image/png", "image/jpeg"}, ImageSide: 100, PDF: true, PDFPages: 10, TextBytes: 1 << 10}
	bomb := zipBomb(t)
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(bytes.Repeat([]byte("1 0 "), 5<<20)) // a buffer does not fail
	_ = w.Close()
	tests := []struct {
		name string
		data []byte
		code Code // of the refusal
		used string
		say  string
	}{
		{"huge.png", hugePNG(t, 60_000, 8), "", "note", "60000×60000 pixels are more than the 100000000 that are decoded"},
		{"deep.png", hugePNG(t, 8_000, 16), "", "note", "8000×8000 pixels, which count double because of their format, are more"},
		{"huge.jpg", hugeJPEG(65_535, 0xc0), "", "note", "65535×65535 pixels are more"},
		{"passes.jpg", hugeJPEG(8_000, 0xc2), "", "note", "8000×8000 pixels, which count double because of their format, are more"},
		{"empty.png", hugePNG(t, 200, 8), "", "note", "its pixels cannot be decoded"},
		{"film.gif", film(t, 200, 2_000), "", "downscaled", "sent as"},
		{"bomb.docx", bomb, ExtensionNotAllowed, "", ".docx is not accepted"},
		{"bomb.txt", bomb, KindMismatch, "", "the bytes are application/"},
		{"bomb.pdf", bomb, KindMismatch, "", "the bytes are application/"},
		{"line.txt", bytes.Repeat([]byte("x"), 10<<20), "", "text", "only the beginning was sent: it has 10485760 bytes"},
		{"line.csv", bytes.Repeat([]byte("x,"), 5<<20), "", "text", "only the beginning was sent"},
		{"wide.txt", utf16Bytes(strings.Repeat("täxt ", 1<<20-1), 0, 1), "", "text", "only the beginning was sent"},
		{"brackets.pdf", append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("["), 9<<20)...), "", "note", "damaged"},
		{"loop.pdf", pdfOf("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"), "", "note", "damaged"},
		{"nested.pdf", pdfOf(strings.Repeat("[", 9<<20)), "", "note", "its values are nested more than 256 deep"},
		{"objects.pdf", pdfOf("<< /Type /ObjStm /N 9 /First 9 /Filter /FlateDecode >>\nstream\n" + packed.String() + "\nendstream"), "", "note", "unpack to more than 100 times their size"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.name, tt.data)
			store := newStore()
			start := time.Now()
			r, err := Resolve(t.Context(), []string{path}, Policy{}, store)
			switch {
			case err != nil:
				t.Fatal(err)
			case tt.code != "":
				if len(r.Refused) != 1 || r.Refused[0].Code != tt.code || !strings.Contains(r.Refused[0].Reason, tt.say) {
					t.Fatalf("got %+v", r)
				}
			case len(r.Items) != 1:
				t.Fatalf("got %+v", r)
			default:
				src, err := store.Content(r.Items[0].SHA256)
				if err != nil {
					t.Fatal(err)
				}
				if d := plan(t, p, r.Items[0], src, small, false); d.Used != tt.used || !strings.Contains(d.Warning, tt.say) {
					t.Errorf("got %s, %q", d.Used, d.Warning)
				}
			}
			if took := time.Since(start); took > time.Minute { // tens of milliseconds, if nothing else runs
				t.Errorf("took %v", took)
			}
		})
	}
	if p.engine.Running() {
		t.Error("the PDF engine was started for one of them")
	}
}

// Declared files that were made to cost end at once, too.
func TestHostileDeclared(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	le := binary.LittleEndian
	hugeBMP := bmpBytes(t)
	le.PutUint32(hugeBMP[18:], 60_000)
	le.PutUint32(hugeBMP[22:], 60_000)
	hugeTIFF := tiffBytes(t)
	ifd := int(le.Uint32(hugeTIFF[4:]))
	for i := range int(le.Uint16(hugeTIFF[ifd:])) {
		if entry := hugeTIFF[ifd+2+12*i:]; le.Uint16(entry) == 256 || le.Uint16(entry) == 257 {
			le.PutUint16(entry[2:], 4)
			le.PutUint32(entry[8:], 60_000)
		}
	}
	loop := ftyp("isom") + box("moov", strings.Repeat(box("trak", box("mdia", box("mdia", box("mdia")))), 100_000))
	lying := wavBytes(8000, 1, 8, 100)
	le.PutUint32(lying[40:], 1<<32-1)
	deep := "<svg>" + strings.Repeat("<g>", 1_000_000)
	for _, tt := range []struct {
		name string
		data []byte
		used string
		say  string
	}{
		{"huge.bmp", hugeBMP, "note", "60000×60000 pixels are more"},
		{"huge.tiff", hugeTIFF, "note", "60000×60000 pixels are more"},
		{"loop.mp4", []byte(loop), "note", "the model takes no video"},
		{"boxes.mp4", []byte(ftyp("isom") + strings.Repeat(box("free"), 1_000_000)), "note", "the model takes no video"},
		{"lying.wav", lying, "note", "the model takes no audio"},
		{"deep.svg", []byte(deep), "text", "only the beginning"},
		{"deep.json", []byte(strings.Repeat("[", 5_000_000)), "text", "only the beginning"},
		{"deep.xml", []byte("<?xml version='1.0'?>" + strings.Repeat("<!-- ", 1_000_000)), "text", "only the beginning"},
		{"bomb.docx", zipBomb(t), "note", "its type is not one that models take"},
	} {
		start := time.Now()
		it, src := declare(t, Opened{Name: tt.name}, tt.data)
		d := plan(t, p, it, src, generous, false)
		if d.Used != tt.used || !strings.Contains(d.Warning, tt.say) {
			t.Errorf("%s: got %s, %q", tt.name, d.Used, d.Warning)
		}
		if took := time.Since(start); took > time.Minute { // tens of milliseconds, if nothing else runs
			t.Errorf("%s: took %v", tt.name, took)
		}
	}
}

// manyPages is a PDF of n pages.
func manyPages(n int) []byte {
	words := "BT /F 12 Tf 10 10 Td (Some words that convince a reader of this page.) Tj ET"
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(words), words),
	}
	var kids strings.Builder
	for i := range n {
		fmt.Fprintf(&kids, "%d 0 R ", len(objects)+1+i)
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/Resources<</Font<</F 3 0 R>>>>>>", n, &kids)
	for range n {
		objects = append(objects, "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>")
	}
	return pdfOf(objects...)
}

// Of a PDF with more pages than are counted without the engine the first ones are read.
func TestPDFOfTooManyPages(t *testing.T) {
	t.Parallel()
	p := newCompiledPlanner(t)
	it, src := declare(t, Opened{Name: "d.pdf", Want: KindPDF}, manyPages(21_000))
	it.MaxPages = 2
	for _, l := range []Limits{generous, {}} {
		d := plan(t, p, it, src, l, false)
		if text := textOf(t, d); strings.Count(text, "Some words") != 2 || !strings.Contains(text, "[the first 2 of 21000 pages]") || !strings.Contains(d.Warning, "the first 2 of its 21000 pages (max_pages)") {
			t.Errorf("%s: %q", d.Warning, text)
		}
	}
}

// A file that took too long is not tried again for a while, and then it is.
func TestSlowList(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	l := &slowList{now: func() time.Time { return now }}
	if l.has("a") {
		t.Error("knows what was never added")
	}
	l.add("a")
	if !l.has("a") || l.has("b") {
		t.Error("does not know what was added, and only that")
	}
	for i := range 3 * slowKept {
		l.add(fmt.Sprint(i))
	}
	if len(l.until) > slowKept {
		t.Errorf("keeps %d", len(l.until))
	}
	l.add("a")
	now = now.Add(slowFor)
	if l.has("a") {
		t.Error("never tries again")
	}
}

// What the engine is too slow for is a note at once the second time, without the
// engine and without the file.
func TestPlanRemembersSlowPDF(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	it, _ := itemOf(t, "d.pdf", pdfBytes(t, nil, "x"))
	calls := 0
	slow := func() rendition {
		r, err := p.rendition(t.Context(), cacheKey(it, "slow"), p.opts.WorkTime, func(ctx context.Context) (made, error) {
			calls++
			return made{}, errTooSlow
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, second := slow(), slow()
	if calls != 1 || first.Note == "" || first.Note != second.Note {
		t.Errorf("%d calls, %q, %q", calls, first.Note, second.Note)
	}
}

// PDFs that wait for the engine are not in memory: the first byte is read when the turn comes.
func TestWaitingPDFIsNotInMemory(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	src := &countingContent{Content: bytesContent("%PDF-1.7\nrubbish")}
	if err := p.wholePDFs.Acquire(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.readWhole(ctx, src, pdf.Extent{Bytes: 1}); !errors.Is(err, context.DeadlineExceeded) || src.opened.Load() != 0 {
		t.Errorf("while another is read: %v, opened %d times", err, src.opened.Load())
	}
	p.wholePDFs.Release(1)
	if _, err := p.readWhole(t.Context(), src, pdf.Extent{Bytes: 1}); !errors.Is(err, pdf.ErrDamaged) || src.opened.Load() != 1 {
		t.Errorf("when its turn has come: %v, opened %d times", err, src.opened.Load())
	}
}
