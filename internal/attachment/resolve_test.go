package attachment

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/fault"
)

func utf16Bytes(s string, low, high int) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		pair := [2]byte{}
		pair[low], pair[high] = byte(u), byte(u>>8)
		b = append(b, pair[:]...)
	}
	return b
}

// tinyWebP is a complete 1×1 lossless WebP.
var tinyWebP = []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")

// tinyGIF is a complete 1×1 GIF.
var tinyGIF = []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")

// The bytes decide the MIME type, the extension must agree in kind, and nothing
// else is asked.
//
// Covers: attachment-resolver REQ-01, REQ-02, REQ-03
func TestClassification(t *testing.T) {
	t.Parallel()
	pngData, jpegData := pngBytes(t, picture(3, 2, 255)), jpegBytes(t, picture(3, 2, 255))
	pdfData := pdfBytes(t, nil, "one", "two")
	elf := append([]byte("\x7fELF\x02\x01\x01\x00"), make([]byte, 64)...)
	tests := []struct {
		name string
		data []byte
		code Code // empty where accepted
		want Item
		say  string // in the reason
	}{
		{name: "a.png", data: pngData, want: Item{Kind: KindImage, MIMEType: "image/png", Width: 3, Height: 2}},
		{name: "b.JPG", data: jpegData, want: Item{Kind: KindImage, MIMEType: "image/jpeg", Width: 3, Height: 2}},
		{name: "c.jpeg", data: jpegData, want: Item{Kind: KindImage, MIMEType: "image/jpeg", Width: 3, Height: 2}},
		{name: "d.gif", data: tinyGIF, want: Item{Kind: KindImage, MIMEType: "image/gif", Width: 1, Height: 1}},
		{name: "e.webp", data: tinyWebP, want: Item{Kind: KindImage, MIMEType: "image/webp", Width: 1, Height: 1}},
		{name: "png named.jpg", data: pngData, want: Item{Kind: KindImage, MIMEType: "image/png", Width: 3, Height: 2}},
		{name: "f.pdf", data: pdfData, want: Item{Kind: KindPDF, MIMEType: "application/pdf", Pages: 2}},
		{name: "late header.pdf", data: append([]byte("junk\n"), pdfData...), want: Item{Kind: KindPDF, MIMEType: "application/pdf", Pages: 2}},
		{name: "g.txt", data: []byte("plain"), want: Item{Kind: KindText, MIMEType: "text/plain"}},
		{name: "empty.txt", data: nil, want: Item{Kind: KindText, MIMEType: "text/plain"}},
		{name: "h.md", data: []byte("# Überschrift"), want: Item{Kind: KindText, MIMEType: "text/markdown"}},
		{name: "i.csv", data: []byte("a,b\n1,2\n"), want: Item{Kind: KindText, MIMEType: "text/csv"}},
		{name: "bom.txt", data: []byte("\xef\xbb\xbfmarked"), want: Item{Kind: KindText, MIMEType: "text/plain"}},
		{name: "le.csv", data: utf16Bytes("a,ü,😀", 0, 1), want: Item{Kind: KindText, MIMEType: "text/csv", Charset: "utf-16le"}},
		{name: "be.txt", data: utf16Bytes("a,ü,😀", 1, 0), want: Item{Kind: KindText, MIMEType: "text/plain", Charset: "utf-16be"}},
		{name: "letters of a bitmap.txt", data: []byte("BM is how a bitmap begins"), want: Item{Kind: KindText, MIMEType: "text/plain"}},
		{name: "page.md", data: []byte("<html><body>hi</body></html>"), want: Item{Kind: KindText, MIMEType: "text/markdown"}},

		{name: "tool.exe", data: elf, code: ExtensionNotAllowed, say: ".exe is not accepted; accepted are .csv, .gif, .jpeg, .jpg, .md, .pdf, .png, .txt, .webp"},
		{name: "README", data: []byte("x"), code: ExtensionNotAllowed, say: "(none)"},
		{name: "icon.svg", data: []byte("<svg/>"), code: ExtensionNotAllowed, say: ".svg"},
		{name: "program.png", data: elf, code: KindMismatch, say: "promises image/png"},
		{name: "script.png", data: []byte("#!/bin/sh\necho\n"), code: KindMismatch, say: "text"},
		{name: "html.png", data: []byte("<!DOCTYPE html><html>"), code: KindMismatch, say: "text"},
		{name: "svg.png", data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), code: KindMismatch, say: "text"},
		{name: "pdf.png", data: pdfData, code: KindMismatch, say: "application/pdf"},
		{name: "png.pdf", data: pngData, code: KindMismatch, say: "image/png"},
		{name: "png.txt", data: pngData, code: KindMismatch, say: "image/png"},
		{name: "program.txt", data: elf, code: KindMismatch, say: "elf"},
		{name: "pdf.txt", data: pdfData, code: KindMismatch, say: "application/pdf"},
		{name: "quotes a pdf.pdf", data: []byte("<!DOCTYPE html><html><body>%PDF-1.7"), code: KindMismatch, say: "text"},
		{name: "empty.png", data: nil, code: KindMismatch, say: "promises image/png"},
		{name: "header only.png", data: pngData[:8], code: KindMismatch, say: "header is broken"},
		{name: "cut.png", data: pngData[:len(pngData)-20], code: KindMismatch, say: "ends too early"},
		{name: "cut.jpg", data: jpegData[:len(jpegData)-2], code: KindMismatch, say: "ends too early"},
		{name: "spoilt.png", data: append(bytes.Clone(pngData[:len(pngData)-20]), append([]byte("spoilt"), pngData[len(pngData)-14:]...)...), code: KindMismatch, say: "is broken"},
		{name: "cut.gif", data: tinyGIF[:len(tinyGIF)-3], code: KindMismatch, say: "ends too early"},
		{name: "no mark.gif", data: tinyGIF[:len(tinyGIF)-1], want: Item{Kind: KindImage, MIMEType: "image/gif", Width: 1, Height: 1}},
		{name: "and more.gif", data: append(bytes.Clone(tinyGIF), "more"...), want: Item{Kind: KindImage, MIMEType: "image/gif", Width: 1, Height: 1}},
		{name: "and more.png", data: append(bytes.Clone(pngData), "more"...), want: Item{Kind: KindImage, MIMEType: "image/png", Width: 3, Height: 2}},
		{name: "cut.webp", data: tinyWebP[:len(tinyWebP)-3], code: KindMismatch, say: "ends too early"},
		{name: "zeros.txt", data: []byte("a\x00b"), code: NotUTF8, say: "UTF-8"},
		{name: "latin1.txt", data: []byte("gr\xfc\xdfe"), code: NotUTF8, say: "UTF-8"},
		{name: "late.txt", data: append(bytes.Repeat([]byte("x"), 70_000), 0xff), code: NotUTF8, say: "invalid UTF-8 at byte 70000"},
		{name: "surrogate.txt", data: []byte("\xed\xa0\x80 is no character"), code: NotUTF8, say: "UTF-8"},
		{name: "half.txt", data: []byte("cut \xe2\x82"), code: NotUTF8, say: "UTF-8"},
		{name: "odd.txt", data: append(utf16Bytes("x", 0, 1), 'y'), code: NotUTF8, say: "invalid UTF-16 at byte 4"},
		{name: "lone.txt", data: []byte{0xff, 0xfe, 0x00, 0xd8, 'x', 0}, code: NotUTF8, say: "invalid UTF-16 at byte 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, tt.name, tt.data)
			r := resolve(t, Policy{}, path)
			if tt.code != "" {
				if len(r.Refused) != 1 || r.Refused[0].Code != tt.code || r.Refused[0].Path != path || !strings.Contains(r.Refused[0].Reason, tt.say) {
					t.Errorf("got %+v, want %s with %q", r, tt.code, tt.say)
				}
				return
			}
			want := tt.want
			want.SHA256, want.Bytes, want.Name, want.Origin = bytesContent(tt.data).SHA256(), int64(len(tt.data)), tt.name, path
			if diff := cmp.Diff(Resolution{Items: []Item{want}, Accepted: []bool{true}}, r); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Covers: attachment-resolver REQ-13
func TestUnopenable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, "file.txt", []byte("x"))
	tests := []struct {
		name, path string
		code       Code
		say        string
	}{
		{"relative", "notes.txt", NotAbsolute, "must be absolute"},
		{"empty", "", NotAbsolute, "must be absolute"},
		{"missing", filepath.Join(dir, "missing.png"), NotFound, "file not found: " + filepath.Join(dir, "missing.png")},
		{"missing folder", filepath.Join(dir, "no", "missing.png"), NotFound, "file not found"},
		{"a file as folder", filepath.Join(file, "x.png"), NotFound, "file not found"},
		{"NUL", filepath.Join(dir, "a\x00.png"), NotReadable, "not accessible"},
		{"too long", filepath.Join(dir, strings.Repeat("n", 300)+".png"), NotReadable, "not accessible"},
		{"a forged line", filepath.Join(dir, "a\nb.png"), NotFound, "a␊b.png"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := resolve(t, Policy{}, tt.path)
			if len(r.Refused) != 1 || r.Refused[0].Code != tt.code || !strings.Contains(r.Refused[0].Reason, tt.say) || r.Refused[0].Path != tt.path {
				t.Errorf("got %+v, want %s with %q", r, tt.code, tt.say)
			}
		})
	}
}

// Covers: attachment-resolver REQ-04
func TestFolderIsNotRegular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, want := range map[string]Code{"folder.png": NotRegular, "folder": ExtensionNotAllowed} {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		r := resolve(t, Policy{}, path)
		if len(r.Refused) != 1 || r.Refused[0].Code != want || !strings.Contains(r.Refused[0].Reason, "it is a folder; attach the files in it") {
			t.Errorf("%s: got %+v", name, r)
		}
		// Of what lies outside the roots not even that is told.
		r = resolve(t, Policy{Roots: []string{t.TempDir()}}, path)
		if len(r.Refused) != 1 || strings.Contains(r.Refused[0].Reason, "it is a folder") {
			t.Errorf("%s, outside: got %+v", name, r)
		}
	}
}

// sized is a text file of exactly n bytes.
func sized(t testing.TB, n int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.txt", n))
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), int(n)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Covers: attachment-resolver REQ-05
func TestFileLimitIsInclusive(t *testing.T) {
	t.Parallel()
	r := resolve(t, Policy{}, sized(t, 10<<20), sized(t, 10<<20+1))
	if len(r.Items) != 1 || r.Items[0].Bytes != 10<<20 {
		t.Errorf("items: %+v", r.Items)
	}
	if len(r.Refused) != 1 || r.Refused[0].Code != TooLarge || !strings.Contains(r.Refused[0].Reason, "limit for one file is 10485760 bytes (attachments.file_bytes)") {
		t.Errorf("refused: %+v", r.Refused)
	}
}

// The three cases of REQ-06-V: exactly 18 MiB, a byte more, and another order.
//
// Covers: attachment-resolver REQ-06
func TestTurnBudgetIsSequential(t *testing.T) {
	t.Parallel()
	ten, eight, one := sized(t, 10<<20), sized(t, 8<<20), sized(t, 1)
	tests := []struct {
		name  string
		paths []string
		want  string // a letter per path: a accepted, r refused
	}{
		{"exactly the budget", []string{ten, eight}, "aa"},
		{"a byte more", []string{ten, eight, one}, "aar"},
		{"in another order", []string{one, ten, eight}, "aar"},
		{"later files still fit", []string{ten, ten, eight}, "ara"},
		{"duplicates are charged twice", []string{eight, eight, eight}, "aar"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := resolve(t, Policy{}, tt.paths...)
			var want []bool
			for _, verdict := range tt.want {
				want = append(want, verdict == 'a')
			}
			for _, f := range r.Refused {
				if f.Code != OverBudget || !strings.Contains(f.Reason, "limit of 18874368 bytes") {
					t.Errorf("refused: %+v", f)
				}
			}
			if diff := cmp.Diff(want, r.Accepted); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whatever the order, sizes, duplicates and bad files, the outcome is that of a
// reader who goes through the list once and charges only what it accepts.
//
// Covers: attachment-resolver REQ-06
func TestBudgetMatchesModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const fileLimit, turnLimit = 100, 180
	rapid.Check(t, func(t *rapid.T) {
		var paths []string
		var want Resolution
		var spent int64
		for i := range rapid.IntRange(0, 12).Draw(t, "files") {
			size := rapid.SampledFrom([]int64{0, 1, 20, 60, 79, 80, 81, 99, 100, 101}).Draw(t, "size")
			bad := rapid.SampledFrom([]string{"", "", "", "utf8", "binary"}).Draw(t, "bad")
			path := filepath.Join(dir, fmt.Sprintf("%d-%s.txt", size, bad))
			data := bytes.Repeat([]byte("x"), int(size))
			if bad == "binary" {
				copy(data, "\x7fELF\x02\x01\x01\x00")
			} else if bad == "utf8" && size > 0 {
				data[size-1] = 0xff
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
			refuse := func(c Code) { want.Refused = append(want.Refused, Refusal{Path: paths[i], Code: c}) }
			want.Accepted = append(want.Accepted, false)
			switch {
			case size > fileLimit:
				refuse(TooLarge)
			case spent+size > turnLimit:
				refuse(OverBudget)
			case bad == "utf8" && size > 0:
				refuse(NotUTF8)
			case bad == "binary" && size >= 8: // one byte of it is a character
				refuse(KindMismatch)
			default:
				spent += size
				want.Accepted[i] = true
				want.Items = append(want.Items, Item{Origin: path, Bytes: size})
			}
		}
		got, err := Resolve(context.Background(), paths, Policy{FileBytes: fileLimit, TurnBytes: turnLimit}, newStore())
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Items {
			got.Items[i] = Item{Origin: got.Items[i].Origin, Bytes: got.Items[i].Bytes}
		}
		for i := range got.Refused {
			got.Refused[i].Reason = ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A file that changes between the open and the last byte is refused, however it
// changes, and its bytes do not count.
//
// Covers: attachment-resolver REQ-02, REQ-06
func TestChangedWhileRead(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("line\n"), 1000)
	rewrite := func(data []byte, keepTime bool) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			info, err := os.Stat(path)
			if err == nil {
				err = os.WriteFile(path, data, 0o600)
			}
			when := info.ModTime()
			if !keepTime {
				when = when.Add(time.Second)
			}
			if err == nil {
				err = os.Chtimes(path, when, when)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	tests := map[string]func(t *testing.T, path string){
		"grown":                      rewrite(append(content[:len(content):len(content)], '!'), true),
		"shrunk":                     rewrite(content[:10], true),
		"emptied":                    rewrite(nil, true),
		"same size":                  rewrite(bytes.ToUpper(content), false),
		"same size and time, a head": rewrite(bytes.ToUpper(content), true),
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, "file.txt", content)
			store := newStore()
			store.before = func() {
				store.before = nil
				change(t, path)
			}
			r, err := Resolve(context.Background(), []string{path}, Policy{}, store)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Refused) != 1 || r.Refused[0].Code != ChangedWhileRead {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestResolveKeepsOrder(t *testing.T) {
	t.Parallel()
	var paths []string
	for i := range 30 {
		paths = append(paths, write(t, fmt.Sprintf("%02d.txt", i), fmt.Appendf(nil, "file %d", i)))
	}
	r := resolve(t, Policy{}, paths...)
	for i, it := range r.Items {
		if it.Origin != paths[i] {
			t.Fatalf("item %d is %s", i, it.Origin)
		}
	}
	if len(r.Items) != 30 {
		t.Errorf("%d items", len(r.Items))
	}
}

func TestMaxItems(t *testing.T) {
	t.Parallel()
	path := write(t, "a.txt", []byte("x"))
	r := resolve(t, Policy{MaxItems: 2}, path, path, path, "relative")
	if len(r.Items) != 2 || len(r.Refused) != 2 || r.Refused[0].Code != OverBudget || r.Refused[1].Code != OverBudget {
		t.Errorf("got %+v", r)
	}
	if want := "a turn takes at most 2 attachments (attachments.max_items)"; len(r.Refused) > 0 && r.Refused[0].Reason != want {
		t.Errorf("got %q", r.Refused[0].Reason)
	}
}

func TestPolicyNarrowsExtensions(t *testing.T) {
	t.Parallel()
	r := resolve(t, Policy{Extensions: []string{".MD", ".exe"}}, write(t, "a.md", []byte("x")), write(t, "a.txt", []byte("x")), write(t, "a.exe", []byte("x")))
	if len(r.Items) != 1 || len(r.Refused) != 2 || !strings.HasSuffix(r.Refused[0].Reason, "accepted are .md (attachments.extensions)") {
		t.Errorf("got %+v", r)
	}
}

// What ends the whole call: the context and the store, not a file.
func TestResolveErrors(t *testing.T) {
	t.Parallel()
	path := write(t, "a.txt", []byte("x"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Resolve(ctx, []string{path}, Policy{}, newStore()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	full := newStore()
	full.fail = errors.New("no space left on device")
	if _, err := Resolve(context.Background(), []string{path}, Policy{}, full); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("full disk: got %v", err)
	}
	late, cancelLate := context.WithCancel(context.Background())
	defer cancelLate()
	store := newStore()
	store.before = cancelLate
	if _, err := Resolve(late, []string{path}, Policy{}, store); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while storing: got %v", err)
	}
}

// An image bomb is a small file, so it is admitted; the planner leaves it alone.
func TestBombHeaderIsRead(t *testing.T) {
	t.Parallel()
	r := resolve(t, Policy{}, write(t, "bomb.png", bomb(t)))
	if len(r.Items) != 1 || r.Items[0].Width != 50_000 {
		t.Errorf("got %+v", r)
	}
}

// bomb is a PNG of a hundred bytes that says it has 2.5 thousand million pixels.
func bomb(t testing.TB) []byte {
	t.Helper()
	data := pngBytes(t, picture(1, 1, 255))
	header := data[8+4 : 8+4+4+13] // the first chunk's type and content
	binary.BigEndian.PutUint32(header[4:], 50_000)
	binary.BigEndian.PutUint32(header[8:], 50_000)
	binary.BigEndian.PutUint32(data[8+4+4+13:], crc32.ChecksumIEEE(header))
	return data
}
