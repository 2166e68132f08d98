package attachment

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// accept runs Accept on a file with data and fails the test on an error.
func accept(t testing.TB, o Opened, terms Terms, data []byte) (Accepted, *memoryStore) {
	t.Helper()
	f, err := os.Open(write(t, "file", data))
	if err != nil {
		t.Fatal(err)
	}
	if o.File = f; o.Origin == "" {
		o.Origin = o.Name
	}
	store := newStore()
	a, err := Accept(context.Background(), o, terms, store)
	if err != nil {
		t.Fatal(err)
	}
	if f.Close() == nil {
		t.Errorf("%s: the file was left open", o.Name)
	}
	return a, store
}

// What is accepted is an item that says all that the file does, under the name
// that its author gave it.
//
// Covers: attachments 10.4
func TestAccept(t *testing.T) {
	t.Parallel()
	data := pngBytes(t, picture(3, 2, 255))
	a, store := accept(t, Opened{Name: "a cover.png", Origin: "./art/*.png", Want: KindImage, Hint: "image/png"}, Terms{}, data)
	want := Accepted{Item: Item{
		SHA256: bytesContent(data).SHA256(), Kind: KindImage, MIMEType: "image/png", Bytes: int64(len(data)),
		Name: "a cover.png", Origin: "./art/*.png", Width: 3, Height: 2, Named: true,
	}}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Error(diff)
	}
	if _, err := store.Content(a.Item.SHA256); err != nil {
		t.Error(err)
	}
}

// A file that is not what is wanted, or not allowed, is refused with what to do.
//
// Covers: attachments 10.4
func TestAcceptRefuses(t *testing.T) {
	t.Parallel()
	pngData, pdfData := pngBytes(t, picture(3, 2, 255)), pdfBytes(t, nil, "page")
	for _, tt := range []struct {
		name  string
		want  Kind
		data  []byte
		terms Terms
		code  Code
		say   string
	}{
		{"a.png", KindImage, pdfData, Terms{}, TypeNotAllowed, "the bytes are application/pdf; an image takes image/* (attachments.allowed_mime_types.image)"},
		{"a.pdf", KindPDF, pngData, Terms{}, TypeNotAllowed, "a PDF takes application/pdf"},
		{"a.png", KindImage, pngData, Terms{Types: map[Kind][]string{KindImage: {"image/jpeg"}}}, TypeNotAllowed, "image/jpeg"},
		{"a.png", "", pngData, Terms{Types: map[Kind][]string{"": {"text/*"}}}, TypeNotAllowed, "allowed_mime_types.file"},
		{"a.png", KindImage, pngData, Terms{FileBytes: int64(len(pngData)) - 1}, TooLarge, "max_download_size_bytes"},
		{"a.png", KindImage, pngData[:20], Terms{}, KindMismatch, "header is broken"},
		{"late.txt", "", append([]byte(strings.Repeat("words ", 2000)), 0xff), Terms{Types: map[Kind][]string{"": {"text/*"}}}, NotUTF8, "invalid UTF-8 at byte 12000"},
		{"late.svg", KindImage, append([]byte("<svg>"+strings.Repeat("words ", 2000)), 0xff), Terms{}, NotUTF8, "invalid UTF-8"},
		{"a.tif", KindImage, []byte("II*\x00\x08\x00\x00\x00\x00\x00"), Terms{}, NotDecodable, "this kind of image/tiff cannot be decoded"},
		{"a.heic", KindImage, []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), Terms{}, NotDecodable, "convert it to JPEG or PNG"},
	} {
		a, store := accept(t, Opened{Name: tt.name, Want: tt.want}, tt.terms, tt.data)
		if a.Refused == nil || a.Refused.Code != tt.code || !strings.Contains(a.Refused.Reason, tt.say) || a.Refused.Path != tt.name {
			t.Errorf("%s as %q: got %+v, want %s with %q", tt.name, tt.want, a.Refused, tt.code, tt.say)
		}
		if len(store.blobs) != 0 && tt.code != NotUTF8 { // what is known at the end leaves a blob, which is swept
			t.Errorf("%s: refused and stored", tt.name)
		}
	}
}

// Whatever kind of file it is, the item is what the bytes are.
func TestAcceptKinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		want Kind
		data []byte
		item Item
	}{
		{"a.wav", KindAudio, wavBytes(8000, 2, 16, 12_000), Item{Kind: KindAudio, MIMEType: "audio/wav"}},
		{"a.mp4", KindVideo, mp4Bytes(), Item{Kind: KindVideo, MIMEType: "video/mp4"}},
		{"a.m4a", KindAudio, mp4Bytes(), Item{Kind: KindAudio, MIMEType: "audio/mp4"}},
		{"a.webm", KindAudio, webmBytes(), Item{Kind: KindAudio, MIMEType: "audio/webm"}},
		{"a.webm", "", webmBytes(), Item{Kind: KindVideo, MIMEType: "video/webm"}},
		{"a.mp4", "", mp4Bytes(), Item{Kind: KindVideo, MIMEType: "video/mp4"}},
		{"a.svg", KindImage, []byte("<svg/>"), Item{Kind: KindText, MIMEType: "image/svg+xml"}},
		{"a.tiff", KindImage, tiffBytes(t), Item{Kind: KindImage, MIMEType: "image/tiff", Width: 6, Height: 5}},
		{"a.pdf", "", pdfBytes(t, nil, "a", "b"), Item{Kind: KindPDF, MIMEType: "application/pdf", Pages: 2}},
		{"main.go", "", []byte("package main\n"), Item{Kind: KindText, MIMEType: "text/x-go"}},
		{"wide.md", "", []byte(wide("# words and more\n", 0, 1)), Item{Kind: KindText, MIMEType: "text/markdown", Charset: "utf-16le"}},
		{"a.zip", "", []byte(zipped(t, "a", "b")), Item{Kind: KindFile, MIMEType: "application/zip"}},
		{"a.heic", "", []byte(ftyp("heic", "mif1")), Item{Kind: KindFile, MIMEType: "image/heic"}},
		{"empty", "", nil, Item{Kind: KindText, MIMEType: "text/plain"}},
		{"late.txt", "", append([]byte(strings.Repeat("words ", 20_000)), 0xff, 0), Item{Kind: KindFile, MIMEType: "application/octet-stream"}},
	} {
		a, _ := accept(t, Opened{Name: tt.name, Want: tt.want}, Terms{}, tt.data)
		tt.item.SHA256, tt.item.Bytes, tt.item.Name, tt.item.Origin, tt.item.Named = bytesContent(tt.data).SHA256(), int64(len(tt.data)), tt.name, tt.name, true
		if diff := cmp.Diff(tt.item, a.Item); diff != "" || a.Refused != nil {
			t.Errorf("%s: %+v %s", tt.name, a.Refused, diff)
		}
	}
}

// What was said of a file and is not so is a warning, and only that.
//
// Covers: attachments 10.4
func TestAcceptWarns(t *testing.T) {
	t.Parallel()
	pngData, jpegData := pngBytes(t, picture(3, 2, 255)), jpegBytes(t, picture(3, 2, 255))
	for _, tt := range []struct {
		name, hint string
		data       []byte
		want       []string
	}{
		{"a.png", "image/png", pngData, nil},
		{"a.png", "image/x-png; charset=binary", pngData, nil},
		{"a", "", pngData, nil},
		{"a.jpg", "", jpegData, nil},
		{"a.png", "image/jpg", jpegData, []string{"the name says image/png, the bytes are image/jpeg"}},
		{"a.jpg", "image/png", jpegData, []string{"mime says image/png, the bytes are image/jpeg"}},
		{"a.png", "nonsense\n", pngData, []string{"mime says nonsense, the bytes are image/png"}},
		{"a.txt", "text/plain", []byte(`{"a": 1}`), nil},
		{"a.ts", "", []byte("let a = 1\n"), nil},
		{"a.mp4", "video/mp4", mp4Bytes(), nil},
		{"a.json", "", []byte("{'a'}"), nil},
		{"a.html", "", []byte(`{"a": 1}`), []string{"the name says text/html, the bytes are application/json"}},
		{"late.txt", "", append([]byte(strings.Repeat("words ", 2000)), 0xff), []string{"it begins like text/plain, but it is not text: invalid UTF-8 at byte 12000"}},
	} {
		a, _ := accept(t, Opened{Name: tt.name, Hint: tt.hint}, Terms{}, tt.data)
		if diff := cmp.Diff(tt.want, a.Warnings); diff != "" || a.Refused != nil {
			t.Errorf("%s said to be %q: %+v %s", tt.name, tt.hint, a.Refused, diff)
		}
	}
}

// The limits are inclusive, and how much is looked at is a setting.
func TestAcceptLimits(t *testing.T) {
	t.Parallel()
	data := []byte(strings.Repeat("words ", 100))
	if a, _ := accept(t, Opened{Name: "a"}, Terms{FileBytes: int64(len(data))}, data); a.Refused != nil {
		t.Errorf("got %+v", a.Refused)
	}
	late := append([]byte(strings.Repeat("#", 900)+"\n"), pdfBytes(t, nil, "a")...)
	if a, _ := accept(t, Opened{Name: "a", Want: KindPDF}, Terms{}, late); a.Refused != nil {
		t.Errorf("got %+v", a.Refused)
	}
	if a, _ := accept(t, Opened{Name: "a", Want: KindPDF}, Terms{HeadBytes: 512}, late); a.Refused == nil || a.Refused.Code != TypeNotAllowed {
		t.Errorf("got %+v", a)
	}
}

// A name is one line that says all that its author wrote, an origin is as written.
func TestAcceptName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Terms 1/2": "Terms 1/2", " a ": "a", "": "unnamed", "a\nb": "a␊b", "a\u202eb": "a\ufffdb",
		strings.Repeat("x", 300) + ".txt": strings.Repeat("x", 248) + "….txt",
	} {
		if a, _ := accept(t, Opened{Name: name, Origin: "o\nrigin"}, Terms{}, []byte("x")); a.Item.Name != want || a.Item.Origin != "o\nrigin" {
			t.Errorf("%q: got %+v", name, a.Item)
		}
	}
}

// The extension that counts is one that says something: the name's, or the file's
// own where the author gave another name.
func TestAcceptExtension(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, origin, want string }{
		{"notes.md", "x.csv", "text/markdown"},
		{"Notes v1.2", "docs/notes.MD", "text/markdown"},
		{"Notes", "https://example.com/notes.csv?v=1.txt", "text/csv"},
		{"Notes", "https://example.com/notes", "text/plain"},
	} {
		if a, _ := accept(t, Opened{Name: tt.name, Origin: tt.origin}, Terms{}, []byte("words")); a.Item.MIMEType != tt.want {
			t.Errorf("%s of %s: got %s, want %s", tt.name, tt.origin, a.Item.MIMEType, tt.want)
		}
	}
}

// What is not the file's fault is an error, and the file is closed all the same.
func TestAcceptErrors(t *testing.T) {
	t.Parallel()
	open := func() *os.File {
		f, err := os.Open(write(t, "a.txt", []byte("words")))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	store := newStore()
	store.fail = errors.New("disk on fire")
	midway, stop := context.WithCancel(context.Background())
	defer stop()
	ending := newStore()
	ending.before = stop
	for name, tt := range map[string]struct {
		ctx   context.Context
		store *memoryStore
		want  error
	}{
		"ended before":  {ended, newStore(), context.Canceled},
		"ended midway":  {midway, ending, context.Canceled},
		"store failing": {context.Background(), store, store.fail},
	} {
		f := open()
		a, err := Accept(tt.ctx, Opened{File: f, Name: "a.txt"}, Terms{}, tt.store)
		if !errors.Is(err, tt.want) || a.Item.SHA256 != "" {
			t.Errorf("%s: got %+v, %v", name, a, err)
		}
		if f.Close() == nil {
			t.Errorf("%s: the file was left open", name)
		}
	}
}

// A file that changes under the reader, and what is no file, is refused.
func TestAcceptMoving(t *testing.T) {
	t.Parallel()
	path := write(t, "a.txt", []byte("words"))
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	store := newStore()
	store.before = func() {
		if err := os.WriteFile(path, []byte("other words"), 0o600); err != nil {
			t.Error(err)
		}
	}
	if a, err := Accept(context.Background(), Opened{File: f, Name: "a.txt"}, Terms{}, store); err != nil || a.Refused == nil || a.Refused.Code != ChangedWhileRead {
		t.Errorf("got %+v, %v", a, err)
	}
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if a, err := Accept(context.Background(), Opened{File: folder, Name: "a"}, Terms{}, newStore()); err != nil || a.Refused == nil || a.Refused.Code != NotRegular {
		t.Errorf("got %+v, %v", a, err)
	}
	// Read from the beginning, wherever its owner left off.
	f, err = os.Open(write(t, "b.txt", []byte("words")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(3, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if a, err := Accept(context.Background(), Opened{File: f, Name: "b.txt"}, Terms{}, newStore()); err != nil || a.Item.Bytes != 5 {
		t.Errorf("got %+v, %v", a, err)
	}
}

// Whatever the bytes and what is said of them: an item that is these bytes, or a
// refusal; and the item can be planned for any model.
func FuzzAccept(f *testing.F) {
	kinds := []Kind{"", KindImage, KindPDF, KindAudio, KindVideo, KindURL}
	for i, data := range [][]byte{
		[]byte("words"), pngBytes(f, picture(3, 2, 255)), pdfBytes(f, nil, strings.Repeat("words ", 30)), wavBytes(8000, 1, 8, 9),
		mp4Bytes(), []byte("<!doctype html><p>words"), bmpBytes(f), tiffBytes(f), []byte(wide("words and more", 0, 1)),
	} {
		f.Add(uint8(i%len(kinds)), data, "a.txt", "text/x")
	}
	p := newPlanner(f, PlannerOptions{MaxPixels: 1 << 20})
	f.Fuzz(func(t *testing.T, kind uint8, data []byte, name, hint string) {
		a, store := accept(t, Opened{Name: name, Origin: name, Want: kinds[int(kind)%len(kinds)], Hint: hint}, Terms{}, data)
		if a.Refused != nil {
			if a.Item.SHA256 != "" || a.Refused.Code == "" || a.Refused.Reason == "" {
				t.Errorf("got %+v", a)
			}
			return
		}
		if a.Item.SHA256 != bytesContent(data).SHA256() || a.Item.Bytes != int64(len(data)) || a.Item.Kind == "" {
			t.Errorf("got %+v", a.Item)
		}
		src, err := store.Content(a.Item.SHA256)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []Limits{generous, hearing, {}} {
			plan(t, p, a.Item, src, l, false)
		}
	})
}
