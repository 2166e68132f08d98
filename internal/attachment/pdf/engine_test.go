package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
	"go.uber.org/goleak"
	"golang.org/x/image/font/gofont/goregular"

	"belay/internal/attachment/pdf"
)

func TestMain(m *testing.M) {
	if child := hostileChildren[os.Getenv(hostileRole)]; child != nil {
		if err := child(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// document makes a PDF of pages with one line of each page's lines per row.
func document(t testing.TB, configure func(*fpdf.Fpdf), pages ...string) []byte {
	t.Helper()
	d := fpdf.New("P", "mm", "A4", "")
	d.SetCreationDate(time.Unix(0, 0))
	d.SetModificationDate(time.Unix(0, 0))
	if configure != nil {
		configure(d)
	}
	d.AddUTF8FontFromBytes("go", "", goregular.TTF)
	d.SetFont("go", "", 11)
	for _, page := range pages {
		d.AddPage()
		for line := range strings.Lines(page) {
			d.CellFormat(0, 6, strings.TrimSpace(line), "", 1, "L", false, 0, "")
		}
	}
	var b bytes.Buffer
	if err := d.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The engine starts slowly, so its life is one test: it starts when first used,
// reads text, says why it does not read the rest, is
// stopped by a context in the middle of a call, recovers, and stops when idle.
func TestEngineLife(t *testing.T) {
	t.Parallel()
	e := pdf.NewEngine(pdf.EngineOptions{CacheDir: t.TempDir(), Idle: time.Hour, Time: time.Hour, Interpreted: raceEnabled})
	defer e.Close()
	ctx := context.Background()
	if e.Running() {
		t.Fatal("the engine runs before it is used")
	}
	greek := "Ελληνικά και κυριλλικά: Кириллица"
	x, err := e.Text(ctx, document(t, nil, greek, "second page"), pdf.Extent{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if x.Pages != 2 || !strings.Contains(x.Text, greek) || !strings.Contains(x.Text, "second page") {
		t.Errorf("got %d pages, text %q", x.Pages, x.Text)
	}
	for _, tt := range []struct{ name, content, want string }{
		{"escapes", `(a\(b\)\101c) Tj`, "a(b)Ac"},
		{"high characters", "(\xfcber 5 \x80) Tj", "über 5 €"},
		{"kerning is no space, a gap is one", "[(W) 80 (o) -20 (rd) -600 (two)] TJ", "Word two"},
		{"lines, without the spaces at their ends", "(one  ) Tj 0 -15 Td ( ) Tj 0 -15 Td (two) Tj", "one\ntwo"},
	} {
		file := onePage(flate("", "BT /F 12 Tf 72 700 Td "+tt.content+" ET"))
		if x, err := e.Text(ctx, file, pdf.Extent{Bytes: 1000}); err != nil || x.Text != tt.want {
			t.Errorf("%s: got %q, %v", tt.name, x.Text, err)
		}
	}
	accents := document(t, nil, strings.Repeat("ωμέγα ", 12), "more")
	for limit := range 40 {
		if x, err := e.Text(ctx, accents, pdf.Extent{Bytes: limit}); err != nil || len(x.Text) > limit || !utf8.ValidString(x.Text) || x.Cut != (limit > 0) || x.Pages != 2 {
			t.Errorf("limit %d: %+v, %v", limit, x, err)
		}
	}
	if x, err := e.Text(ctx, document(t, nil, "a", "b", "c"), pdf.Extent{Bytes: 99, Pages: 2}); err != nil || x.Pages != 3 || x.Text != "a\n\f\nb" {
		t.Errorf("the first two pages: %+v, %v", x, err)
	}
	if x, err := e.Text(ctx, document(t, nil, strings.Repeat("word ", 15)), pdf.Extent{Bytes: 10}); err != nil || !x.Cut || len(x.Text) > 10 {
		t.Errorf("with a limit of 10: %+v, %v", x, err)
	}
	if x, err := e.Text(ctx, document(t, nil, "a", "b", "c"), pdf.Extent{Bytes: 0}); err != nil || x.Pages != 3 || x.Text != "" {
		t.Errorf("counting: %+v, %v", x, err)
	}
	locked := document(t, func(d *fpdf.Fpdf) { d.SetProtection(0, "secret", "owner") }, "hidden")
	if _, err := e.Text(ctx, locked, pdf.Extent{Bytes: 100}); !errors.Is(err, pdf.ErrEncrypted) {
		t.Errorf("encrypted: got %v", err)
	}
	if _, err := e.Text(ctx, []byte("%PDF-1.7\nrubbish"), pdf.Extent{Bytes: 100}); !errors.Is(err, pdf.ErrDamaged) {
		t.Errorf("damaged: got %v", err)
	}

	long := document(t, nil, longPages()...)
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := e.Text(short, long, pdf.Extent{Bytes: 1 << 30}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a deadline in the middle: got %v", err)
	}
	if e.Running() {
		t.Error("the engine still holds a stopped module")
	}
	if x, err := e.Text(ctx, document(t, nil, "again"), pdf.Extent{Bytes: 100}); err != nil || x.Text != "again" {
		t.Errorf("after a stop: %+v, %v", x, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Text(ctx, locked, pdf.Extent{Bytes: 1}); !errors.Is(err, pdf.ErrClosed) {
		t.Errorf("closed: got %v", err)
	}
}

// longPages are enough for the engine to be busy when a short deadline ends.
func longPages() []string {
	pages := make([]string, 100)
	for i := range pages {
		pages[i] = strings.Repeat(fmt.Sprintf("page %d has some words in a row\n", i), 30)
	}
	return pages
}

// An idle engine gives its memory back; a use in between keeps it.
func TestEngineStopsWhenIdle(t *testing.T) {
	t.Parallel()
	e := pdf.NewEngine(pdf.EngineOptions{Idle: time.Millisecond, Time: time.Hour, Interpreted: true})
	defer e.Close()
	if _, err := e.Text(context.Background(), document(t, nil, "x"), pdf.Extent{Bytes: 10}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Minute); e.Running(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the engine still runs long after its idle time")
		}
	}
}
