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
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"

	"belay/internal/attachment/pdf"
)

func light(t testing.TB, data []byte, limit int) (pdf.Extract, error) {
	t.Helper()
	f, err := pdf.Open(context.Background(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return pdf.Extract{}, err
	}
	return f.Text(context.Background(), pdf.Extent{Bytes: limit})
}

// raw builds a PDF from object bodies, numbered from 1, and a trailer. There is no
// cross-reference table, and the reader does not miss it.
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

func TestLightText(t *testing.T) {
	t.Parallel()
	pageOf := func(content string, font string) []byte {
		return raw("<< /Root 1 0 R >>",
			"<< /Type /Catalog /Pages 2 0 R >>",
			"<< /Type /Pages /Kids [3 0 R] /Count 1 /Resources << /Font << /F1 4 0 R >> >> >>",
			"<< /Type /Page /Parent 2 0 R /Contents 5 0 R >>",
			font,
			flate("", content))
	}
	winAnsi := "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
	tests := []struct {
		name, content, font, want string
	}{
		{"one line", "BT /F1 12 Tf 72 700 Td (Hello) Tj ET", winAnsi, "Hello"},
		{"escapes", `BT /F1 12 Tf (a\(b\)\101\
c) Tj ET`, winAnsi, "a(b)Ac"},
		{"hex string", "BT /F1 12 Tf <48 65 6C 6c 6F> Tj ET", winAnsi, "Hello"},
		{"high characters", "BT /F1 12 Tf (\xfcber 5 \x80) Tj ET", winAnsi, "über 5 €"},
		{"kerning is no space, a gap is one", "BT /F1 10 Tf [(W) 80 (o) -20 (rd) -600 (two)] TJ ET", winAnsi, "Word two"},
		{"lines", "BT /F1 10 Tf 12 TL 0 700 Td (one) Tj T* (two) Tj (three) ' ET", winAnsi, "one\ntwo\nthree"},
		{"an exponent stays on its line", "BT /F1 10 Tf 0 700 Td (x) Tj /F1 6 Tf 3 Ts 5 4 Td (2) Tj ET", winAnsi, "x2"},
		{"inline image is skipped", "BI /W 1 /H 1 ID \x00(\xffTj EI BT /F1 12 Tf (after) Tj ET", winAnsi, "after"},
		{"differences", "BT /F1 12 Tf (\x01\x02x) Tj ET",
			"<< /Subtype /Type1 /Encoding << /Differences [1 /fi /uni0416] >> >>", "fiЖx"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x, err := light(t, pageOf(tt.content, tt.font), 1000)
			if err != nil {
				t.Fatal(err)
			}
			if x.Text != tt.want || x.Pages != 1 {
				t.Errorf("got %q on %d pages, want %q", x.Text, x.Pages, tt.want)
			}
		})
	}
}

// Objects in object streams, a cross-reference stream instead of a trailer, a
// composite font with a range map, a form, and an update that replaces a page's
// content.
func TestLightModernFile(t *testing.T) {
	t.Parallel()
	boxed := []string{
		"<< /Type /Catalog /Pages 3 0 R >>",
		"<< /Type /Pages /Kids [4 0 R] >>",
		"<< /Type /Page /Contents [7 0 R] /Resources << /Font << /F 5 0 R >> /XObject << /X 8 0 R >> >> >>",
		"<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 9 0 R /DescendantFonts [<< /DW 500 /W [1 [600 600] 3 9 250] >>] >>",
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
	add(7, flate("", "BT /F 10 Tf <0001> Tj ET"))
	add(8, flate("/Subtype /Form", "BT /F 10 Tf 0 -20 Td <00090001> Tj ET"))
	add(9, flate("", "1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0001> <0003> <0391> endbfrange 1 beginbfchar <0009> <D83DDE00> endbfchar"))
	add(10, flate("/Type /XRef /Root 2 0 R /Size 11 /W [1 1 1]", ""))
	add(7, flate("", "BT /F 10 Tf <00010002> Tj ET /X Do")) // the update

	x, err := light(t, file, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if want := "ΑΒ\n😀Α"; x.Text != want {
		t.Errorf("got %q, want %q", x.Text, want)
	}
}

func TestLightDeclines(t *testing.T) {
	t.Parallel()
	catalog, page := "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Page /Contents 4 0 R >>"
	tests := []struct {
		name string
		file []byte
		want error
	}{
		{"encrypted", raw("<< /Root 1 0 R /Encrypt << >> >>", catalog), pdf.ErrEncrypted},
		{"no catalogue", raw("<< >>", catalog), pdf.ErrUnsupported},
		{"nothing", nil, pdf.ErrUnsupported},
		{"a tree that returns to itself", raw("<< /Root 1 0 R >>", catalog, "<< /Type /Pages /Kids [2 0 R] >>"), pdf.ErrUnsupported},
		{"a reference to itself", raw("<< /Root 1 0 R >>", "1 0 R"), pdf.ErrUnsupported},
		{"text without a font", raw("<< /Root 1 0 R >>", catalog, "<< /Kids [3 0 R] >>", page, flate("", "BT (x) Tj ET")), pdf.ErrUnsupported},
		{"another filter", raw("<< /Root 1 0 R >>", catalog, "<< /Kids [3 0 R] >>", page, streamObject("/Filter /LZWDecode", "x")), pdf.ErrUnsupported},
		{"deep nesting", raw("<< /Root 1 0 R >>", strings.Repeat("[", 1<<20)), pdf.ErrUnsupported},
		{"pages that are slow to parse", raw("<< /Root 1 0 R >>", catalog, "<< /Kids [3 0 R] >>",
			"<< /Type /Page /Contents ["+strings.Repeat("4 0 R ", 1000)+"] >>", "["+strings.Repeat("(a string in place of a stream) ", 3_000)+"]"), pdf.ErrUnsupported},
		{"a form that draws itself", raw("<< /Root 1 0 R >>", catalog, "<< /Kids [3 0 R] >>",
			"<< /Type /Page /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>",
			flate("", "/X Do"), flate("/Subtype /Form", "/X Do /X Do /X Do")), pdf.ErrUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if x, err := light(t, tt.file, 1000); !errors.Is(err, tt.want) {
				t.Errorf("got %+v, %v; want %v", x, err, tt.want)
			}
		})
	}
}

func TestLightReadsGeneratedFiles(t *testing.T) {
	t.Parallel()
	lines := "Ελληνικά και κυριλλικά: Кириллица\nΔεύτερη γραμμή"
	x, err := light(t, document(t, nil, lines, "The second page has a line."), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if want := lines + "\n\f\nThe second page has a line."; x.Text != want {
		t.Errorf("got %q, want %q", x.Text, want)
	}
	locked := document(t, func(d *fpdf.Fpdf) { d.SetProtection(0, "secret", "owner") }, "hidden")
	if _, err := light(t, locked, 100); !errors.Is(err, pdf.ErrEncrypted) {
		t.Errorf("encrypted: got %v", err)
	}
}

func TestLightStopsAtLimitAndContext(t *testing.T) {
	t.Parallel()
	data := document(t, nil, strings.Repeat("ωμέγα ", 12), "more")
	for limit := range 40 {
		x, err := light(t, data, limit)
		if err != nil || len(x.Text) > limit || !utf8.ValidString(x.Text) || !x.Cut || x.Pages != 2 {
			t.Errorf("limit %d: %+v, %v", limit, x, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := pdf.Open(ctx, bytes.NewReader(data), int64(len(data))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestConvincing(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20)
	tests := []struct {
		name  string
		text  string
		pages int
		want  bool
	}{
		{"prose", prose, 1, true},
		{"greek", strings.Repeat("Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ", 9), 1, true},
		{"numbers", strings.Repeat("12,345.67 8,901.23\n", 20), 1, true},
		{"short", "Invoice 17", 1, true},
		{"nothing", "", 1, false},
		{"a scan with a stamp", "Page 1", 30, false},
		{"private use", prose + strings.Repeat("\ue123", 50), 1, false},
		{"replacement", strings.Repeat("\ufffd word ", 50), 1, false},
		{"control", strings.Repeat("a\x01b\x02 ", 50), 1, false},
		{"glued", strings.Repeat("abcdefghij", 100), 1, false},
		{"torn", strings.Repeat("a b c d e f g ", 60), 1, false},
	}
	for _, tt := range tests {
		if got := pdf.Convincing(tt.text, tt.pages); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

// Whatever the bytes, the light reader ends, stays within the limit, gives UTF-8
// or an error, and allocates in proportion to the file: garbage included, so that
// it is far from what it holds.
func FuzzLight(f *testing.F) {
	f.Add(document(f, nil, "Ελληνικά", "x"), 100)
	f.Add(raw("<< /Root 1 0 R >>", "<< /Pages 2 0 R >>", "<< /Kids [3 0 R] >>", "<< /Contents 4 0 R >>",
		streamObject("", "BT /F1 1 Tf [(a) 3 <41>] TJ ET")), 50)
	f.Add([]byte("%PDF-1.7\n1 0 obj <</Type/ObjStm/First 9/N 1>> stream\n"), 5)
	for _, name := range []string{"a bomb within a bomb", "content of brackets", "a code that is a novel", "widths past every number", "forms within forms"} {
		f.Add(hostile[name](), 1000)
	}
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = max(0, min(limit, 1<<20))
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file, err := pdf.Open(ctx, bytes.NewReader(data), int64(len(data)))
		var x pdf.Extract
		if err == nil {
			x, err = file.Text(ctx, pdf.Extent{Bytes: limit})
		}
		runtime.ReadMemStats(&after)
		if ctx.Err() != nil {
			t.Fatal("a minute was not enough")
		}
		if n, most := after.TotalAlloc-before.TotalAlloc, uint64(256<<20+10_000*len(data)); n > most {
			t.Errorf("%d bytes of file took %d bytes of memory", len(data), n)
		}
		if err == nil && (len(x.Text) > limit || x.Pages < 1) {
			t.Errorf("got %d bytes of %d, %d pages", len(x.Text), limit, x.Pages)
		}
		if err == nil && !utf8.ValidString(x.Text) {
			t.Errorf("not UTF-8: %q", x.Text)
		}
	})
}
