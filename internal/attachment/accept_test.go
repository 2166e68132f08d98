package attachment

import (
	"context"
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
		{"a.heic", KindImage, []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), Terms{}, NotDecodable, "convert it to JPEG or PNG"},
	} {
		a, store := accept(t, Opened{Name: tt.name, Want: tt.want}, tt.terms, tt.data)
		if a.Refused == nil || a.Refused.Code != tt.code || !strings.Contains(a.Refused.Reason, tt.say) || a.Refused.Path != tt.name {
			t.Errorf("%s as %q: got %+v, want %s with %q", tt.name, tt.want, a.Refused, tt.code, tt.say)
		}
		if len(store.blobs) != 0 {
			t.Errorf("%s: refused and stored", tt.name)
		}
	}
}
