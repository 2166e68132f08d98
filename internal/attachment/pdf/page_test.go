package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"belay/internal/attachment/pdf"
)

func count(data []byte) (int, error) {
	return pdf.CountPages(context.Background(), bytes.NewReader(data), int64(len(data)))
}

// raw builds a PDF from object bodies, numbered from 1, and a trailer. There is no
// cross-reference table, and the readers do not miss it.
func raw(trailer string, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	fmt.Fprintf(&b, "trailer\n%s\n%%%%EOF\n", trailer)
	return b.Bytes()
}

func streamObject(dict, data string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

func flate(dict, data string) string {
	return streamObject(dict+" /Filter /FlateDecode", zipped(data))
}

// Objects in object streams, a cross-reference stream instead of a trailer, a branch without
// pages, and an update that replaces the tree.
func TestCountModernFile(t *testing.T) {
	t.Parallel()
	boxed := []string{
		"<< /Type /Catalog /Pages 3 0 R >>",
		"<< /Type /Pages /Kids [4 0 R] >>",
		"<< /Type /Page /Note (an \\) and (another) <<) /Id <48 65> >>",
		"<< /Type /Pages >>",
	}
	var header, body strings.Builder
	for i, o := range boxed {
		fmt.Fprintf(&header, "%d %d ", i+2, body.Len())
		body.WriteString(o + " ")
	}
	file := raw("",
		flate(fmt.Sprintf("/Type /ObjStm /N %d /First %d", len(boxed), header.Len()), header.String()+body.String()))
	file = bytes.Replace(file, []byte("trailer\n\n"), nil, 1)
	add := func(id int, o string) { file = fmt.Appendf(file, "%d 0 obj\n%s\nendobj\n", id, o) }
	add(10, flate("/Type /XRef /Root 2 0 R /Size 11 /W [1 1 1]", ""))
	if n, err := count(file); n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	add(6, "<< /Type /Page >>")
	add(7, "<< /Type /Page >>")
	add(3, "<< /Type /Pages /Kids [4 0 R 6 0 R 5 0 R 7 0 R] >>") // the update
	file = append(file, "%%EOF\n"...)
	if n, err := count(file); n != 3 || err != nil {
		t.Errorf("after an update: got %d, %v", n, err)
	}
}

func TestCountDeclines(t *testing.T) {
	t.Parallel()
	boxed := func(dict, data string) []byte {
		return raw("<< /Root 1 0 R >>", streamObject("/Type /ObjStm /N 1 /First 4 "+dict, data))
	}
	tests := []struct {
		name string
		file []byte
		want error
	}{
		{"encrypted", raw("<< /Root 1 0 R /Encrypt << >> >>", catalog), pdf.ErrEncrypted},
		{"no catalogue", raw("<< >>", catalog), pdf.ErrUnsupported},
		{"nothing", nil, pdf.ErrUnsupported},
		{"a tree that returns to itself", raw("<< /Root 1 0 R >>", catalog, "<< /Type /Pages /Kids [2 0 R] >>"), pdf.ErrDamaged},
		{"a page that is there twice", raw("<< /Root 1 0 R >>", catalog, "<< /Type /Pages /Kids [3 0 R 3 0 R] >>", "<< /Type /Page >>"), pdf.ErrUnsupported},
		{"a reference to itself", raw("<< /Root 1 0 R >>", "1 0 R"), pdf.ErrUnsupported},
		{"no pages", raw("<< /Root 1 0 R >>", catalog, "<< /Type /Pages >>"), pdf.ErrUnsupported},
		{"deep nesting", raw("<< /Root 1 0 R >>", strings.Repeat("[", 1<<20)), pdf.ErrUnsupported},
		{"another filter", boxed("/Filter /LZWDecode", "x"), pdf.ErrUnsupported},
		{"a predictor", boxed("/Filter /FlateDecode /DecodeParms << /Predictor 12 >>", zipped("2 0 null")), pdf.ErrUnsupported},
		{"more pages than are counted", manyPages(), pdf.ErrUnsupported},
		{"a tree that is slow to parse", raw("<< /Root 1 0 R >>", catalog, "<< /Kids ["+strings.Repeat("3 0 R ", 1000)+"] >>",
			"["+strings.Repeat("(a string in place of a page) ", 3_000)+"]"), pdf.ErrUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if n, err := count(tt.file); !errors.Is(err, tt.want) {
				t.Errorf("got %d, %v; want %v", n, err, tt.want)
			}
		})
	}
}

func TestCountGeneratedFiles(t *testing.T) {
	t.Parallel()
	data := document(t, nil, "Ελληνικά", "The second page has a line.")
	if n, err := count(data); n != 2 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	locked := document(t, func(d *fpdf.Fpdf) { d.SetProtection(0, "secret", "owner") }, "hidden")
	if _, err := count(locked); !errors.Is(err, pdf.ErrEncrypted) {
		t.Errorf("encrypted: got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := pdf.CountPages(ctx, bytes.NewReader(data), int64(len(data))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Whatever the bytes, the counter ends, finds pages or fails,
// and allocates in proportion to the file: garbage included, so that
// it is far from what it holds.
func FuzzCountPages(f *testing.F) {
	f.Add(document(f, nil, "Ελληνικά", "x"))
	f.Add(raw("<< /Root 1 0 R >>", "<< /Pages 2 0 R >>", "<< /Kids [3 0 R] >>", "<< /Contents 4 0 R /A (b\\)) /C <41> >>"))
	f.Add([]byte("%PDF-1.7\n1 0 obj <</Type/ObjStm/First 9/N 1>> stream\n"))
	for _, name := range []string{"a bomb within a bomb", "a bomb of objects", "content of brackets", "pages that double", "100,000 pages"} {
		f.Add(hostile[name]())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n, err := pdf.CountPages(ctx, bytes.NewReader(data), int64(len(data)))
		runtime.ReadMemStats(&after)
		if ctx.Err() != nil {
			t.Fatal("five minutes were not enough")
		}
		if n, most := after.TotalAlloc-before.TotalAlloc, uint64(256<<20+10_000*len(data)); n > most {
			t.Errorf("%d bytes of file took %d bytes of memory", len(data), n)
		}
		if err == nil && n < 1 {
			t.Errorf("got %d pages", n)
		}
	})
}
