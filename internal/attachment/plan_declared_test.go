package attachment

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// declare accepts data as an author would declare it.
func declare(t testing.TB, o Opened, data []byte) (Item, Content) {
	t.Helper()
	a, store := accept(t, o, Terms{FileBytes: 1 << 30}, data)
	if a.Refused != nil {
		t.Fatalf("%s was refused: %+v", o.Name, a.Refused)
	}
	c, err := store.Content(a.Item.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return a.Item, c
}

// hearing takes sound and addresses as well.
var hearing = func() Limits {
	l := generous
	l.ImageURLs = true
	l.AudioTypes, l.AudioBytes = []string{"audio/wav", "audio/mpeg"}, 1<<20
	return l
}()

// Sound goes as it is where the model takes it. Elsewhere the model gets a note that says what
// the file is, and so it does of film.
//
// Covers: attachments 3
func TestPlanMedia(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	sound, soundData := declare(t, Opened{Name: "a voice.wav", Want: KindAudio}, wavBytes(8000, 1, 8, 12_000))
	film, filmData := declare(t, Opened{Name: "clip.mp4", Want: KindVideo}, mp4Bytes())
	few := hearing
	few.AudioBytes = sound.Bytes - 1
	other := hearing
	other.AudioTypes = []string{"audio/mpeg"}
	for _, tt := range []struct {
		it   Item
		src  Content
		l    Limits
		want Delivery
	}{
		{sound, soundData, hearing, Delivery{Used: "native", Tokens: 32 + 16 + textTokens(int64(len(`Audio "a voice.wav":`))), Parts: []Part{
			TextPart{Text: `Audio "a voice.wav":`},
			MediaPart{Kind: KindAudio, Name: "a voice.wav", MIMEType: "audio/wav", Content: soundData},
		}}},
		{sound, soundData, generous, Note(sound, "the model takes no audio")},
		{sound, soundData, few, Note(sound, "the model takes 12043 bytes of audio")},
		{sound, soundData, other, Note(sound, "the model takes audio only as audio/mpeg")},
		{film, filmData, hearing, Note(film, "the model takes no video")},
	} {
		got := plan(t, p, tt.it, tt.src, tt.l, false)
		ignore := cmpopts.IgnoreFields(Delivery{}, "WireBytes")
		if diff := cmp.Diff(tt.want, got, ignore); diff != "" {
			t.Errorf("%s: %s", tt.it.Name, diff)
		}
	}
	want := fmt.Sprintf(`[The attachment "clip.mp4" (video/mp4, %d bytes) is not included: the model takes no video.]`, film.Bytes)
	if got := plan(t, p, film, filmData, generous, false).Parts[0]; got.(TextPart).Text != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An address is told, or given to a model that fetches images itself.
//
// Covers: attachments 3
func TestPlanAddresses(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	store, ctx := newStore(), context.Background()
	const address = "https://example.com/a.png?x=1"
	link, err := Reference(ctx, KindURL, address, "the source", "https://example.com/a.png", store)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := Reference(ctx, KindImage, address, "a.png", address, store)
	if err != nil {
		t.Fatal(err)
	}
	picture.Detail = "low"
	src, err := store.Content(link.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	got := plan(t, p, link, src, Limits{}, false)
	if want := `[The attachment ("the source") is the address https://example.com/a.png?x=1; nothing was fetched from it.]`; got.Used != "address" || got.Parts[0] != (TextPart{Text: want}) {
		t.Errorf("got %+v", got)
	}
	got = plan(t, p, picture, src, hearing, false)
	if diff := cmp.Diff([]Part{TextPart{Text: `Image "a.png":`}, ImageURLPart{Name: "a.png", URL: address, Detail: "low"}}, got.Parts); diff != "" {
		t.Error(diff)
	}
	if got = plan(t, p, picture, src, generous, false); got.Used != "note" || !strings.Contains(got.Warning, "addresses of images") {
		t.Errorf("got %+v", got)
	}
	if _, err := Reference(ctx, KindPDF, address, "", "", store); err == nil {
		t.Error("a PDF was passed on")
	}
}

// An image that was fetched and has an address too goes as bytes to models that
// take no addresses.
func TestPlanAddressOrBytes(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	it, src := declare(t, Opened{Name: "a.png", Want: KindImage}, pngBytes(t, picture(4, 4, 255)))
	it.URL = "https://example.com/a.png"
	if d := plan(t, p, it, src, hearing, false); d.Used != "address" {
		t.Errorf("got %+v", d)
	}
	if d := plan(t, p, it, src, generous, false); d.Used != "native" {
		t.Errorf("got %+v", d)
	}
}

// Of a page that was fetched the model reads what a person would.
//
// Covers: attachments 3
func TestPlanPage(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	page := `<!doctype html><title>News</title><script>no()</script><main><h1>Today</h1><p>Words, <a href="/more">more</a>.</main>`
	o := Opened{Name: "example.com/news", Origin: "https://example.com/news", Want: KindURL}
	it, src := declare(t, o, []byte(page))
	if it.Kind != KindURL || it.MIMEType != "text/html" {
		t.Errorf("got %+v", it)
	}
	d := plan(t, p, it, src, generous, false)
	if want := "# News\n\n# Today\n\nWords, [more](https://example.com/more).\n"; d.Used != "text" || textOf(t, d) != want {
		t.Errorf("%+v: %q", d, textOf(t, d))
	}
	cut := generous
	cut.TextBytes = 80
	it, src = declare(t, o, []byte("<html>"+strings.Repeat("<p>And on it goes.", 20)))
	if d := plan(t, p, it, src, cut, false); !strings.Contains(d.Warning, "only the beginning") {
		t.Errorf("got %+v", d)
	}
	for data, say := range map[string]string{
		"<html><script>x</script>":                    "there is no text in it",
		"<html>" + strings.Repeat("<div>", 100_000):   "nested without end",
		"<html>" + strings.Repeat("word ", 1_800_000): "more than the",
	} {
		it, src := declare(t, o, []byte(data))
		if d := plan(t, p, it, src, generous, false); d.Used != "note" || !strings.Contains(d.Warning, say) {
			t.Errorf("got %q, want %q", d.Warning, say)
		}
	}
	// Pages of older times are in the character set that they name, or in the usual
	// one.
	for page, want := range map[string]string{
		"<html><meta charset=shift_jis><p>\x93\xfa\x96\x7b":   "日本\n",
		"<html><meta charset=iso-8859-1><p>gr\xfc\xdfe":       "grüße\n",
		"<!doctype html><p>gr\xfc\xdfe":                       "grüße\n",
		"<!doctype html><meta charset=utf-8><p>gr\xfc\xdfe":   "grüße\n",
		"\xef\xbb\xbf<!doctype html><p>grüße":                 "grüße\n",
		string(utf16Bytes("<!doctype html><p>grüße", 0, 1)):   "grüße\n",
		wide("<!doctype html><p>grüße, viele, von uns", 1, 0): "grüße, viele, von uns\n",
	} {
		it, src := declare(t, o, []byte(page))
		if got := textOf(t, plan(t, p, it, src, generous, false)); got != want {
			t.Errorf("%q (%s): got %q, want %q", page, it.Charset, got, want)
		}
	}
	it, src = declare(t, Opened{Name: "old.txt"}, []byte("gr\xfc\xdfe aus alter Zeit"))
	if d := plan(t, p, it, src, generous, false); d.Used != "note" || !strings.Contains(d.Warning, "save it as UTF-8") {
		t.Errorf("got %+v", d)
	}
	// A file of HTML is its source.
	it, src = declare(t, Opened{Name: "index.html"}, []byte(page))
	if d := plan(t, p, it, src, generous, false); it.Kind != KindText || textOf(t, d) != page {
		t.Errorf("got %+v", d)
	}
}

// Names reach the model: as a title, or in words where there is none.
//
// Covers: attachments 3
func TestPlanNames(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	for name, data := range map[string][]byte{
		"cover \"x\".png": pngBytes(t, picture(4, 4, 255)),
		"Spec, part 1":    pdfBytes(t, nil, "words on a page"),
		"list.csv":        []byte("a,b\n"),
		"logo.svg":        []byte("<svg/>"),
		"data.zip":        []byte(zipped(t, "a", "b")),
		"old.bmp":         bmpBytes(t),
	} {
		it, src := declare(t, Opened{Name: name}, data)
		d := plan(t, p, it, src, generous, false)
		found := false
		for _, part := range d.Parts {
			switch part := part.(type) {
			case TextPart:
				found = found || strings.Contains(part.Text, strings.ReplaceAll(name, `"`, `\"`))
			case DocumentPart:
				found = found || part.Name == name
			case TextDocumentPart:
				found = found || part.Name == name
			}
		}
		if !found {
			t.Errorf("%s: the model is not told: %+v", name, d)
		}
	}
}

// An author who wants the first pages gets their text, and both sides are told.
//
// Covers: attachments 3
func TestPlanMaxPages(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	long := strings.Repeat("Some words that convince a reader. ", 10)
	it, src := declare(t, Opened{Name: "d.pdf", Want: KindPDF}, pdfBytes(t, nil, "ONE "+long, "TWO "+long, "THREE "+long))
	it.MaxPages = 2
	uncounted := it
	uncounted.Pages = 0
	bare := generous
	bare.PDF = false
	for _, l := range []Limits{generous, bare} {
		for _, it := range []Item{it, uncounted} {
			d := plan(t, p, it, src, l, false)
			text := textOf(t, d)
			if !strings.Contains(text, "ONE") || !strings.Contains(text, "TWO") || strings.Contains(text, "THREE") || !strings.HasSuffix(text, "\n[the first 2 of 3 pages]\n") {
				t.Errorf("got %q", text)
			}
			if !strings.Contains(d.Warning, "the first 2 of its 3 pages (max_pages)") {
				t.Errorf("got %q", d.Warning)
			}
		}
	}
	it.MaxPages = 3
	if d := plan(t, p, it, src, generous, false); d.Used != "native" || d.Pages != 3 {
		t.Errorf("got %+v", d)
	}
	if d := plan(t, p, it, src, bare, false); !strings.Contains(textOf(t, d), "THREE") || strings.Contains(textOf(t, d), "[the first") {
		t.Errorf("got %+v", d)
	}
}

// Formats that no model takes are changed to one that it does, or the author is
// told what to do.
func TestPlanRareImages(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	it, src := declare(t, Opened{Name: "a.bmp", Want: KindImage}, bmpBytes(t))
	d := plan(t, p, it, src, generous, false)
	if part, ok := d.Parts[1].(ImagePart); !ok || part.MIMEType == "image/bmp" || d.Used != "re-encoded" {
		t.Errorf("got %+v", d)
	}
	it, src = declare(t, Opened{Name: "a.heic"}, []byte(ftyp("heic", "mif1", "heic")))
	if d := plan(t, p, it, src, generous, false); it.Kind != KindFile || !strings.Contains(d.Warning, "convert it to JPEG or PNG") {
		t.Errorf("%+v: got %+v", it, d)
	}
}

// UTF-16 without a mark is delivered as UTF-8.
func TestPlanWideText(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	for i := range 2 {
		it, src := declare(t, Opened{Name: "a.txt"}, []byte(wide("words, täxt and 😀\n", i, 1-i)))
		if got := textOf(t, plan(t, p, it, src, generous, false)); got != "words, täxt and 😀\n" {
			t.Errorf("%s: got %q", it.Charset, got)
		}
	}
}

// A plan depends on the item and the limits alone, whatever both are: asked again,
// or of another planner, it is the same, and within the limits.
func TestPlanDeclaredWithinLimits(t *testing.T) {
	t.Parallel()
	p, other := newPlanner(t, PlannerOptions{}), newPlanner(t, PlannerOptions{})
	type file struct {
		Item
		Content
	}
	var files []file
	for _, f := range []struct {
		Opened
		data []byte
	}{
		{Opened{Name: "a.png"}, pngBytes(t, picture(40, 30, 255))},
		{Opened{Name: "a.bmp"}, bmpBytes(t)},
		{Opened{Name: "a.pdf"}, pdfBytes(t, nil, strings.Repeat("words that convince ", 20), "page two", "page three")},
		{Opened{Name: "a.wav"}, wavBytes(8000, 1, 8, 900)},
		{Opened{Name: "a.mp4"}, mp4Bytes()},
		{Opened{Name: "a.svg"}, []byte("<svg/>")},
		{Opened{Name: "a.zip"}, []byte(zipped(t, "a", "b"))},
		{Opened{Name: "a.html", Want: KindURL}, []byte("<html><p>" + strings.Repeat("words ", 50))},
	} {
		it, src := declare(t, f.Opened, f.data)
		files = append(files, file{it, src})
	}
	rapid.Check(t, func(r *rapid.T) {
		f := rapid.SampledFrom(files).Draw(r, "file")
		f.MaxPages = rapid.IntRange(0, 4).Draw(r, "max pages")
		f.Item.Detail = rapid.SampledFrom([]string{"", "low"}).Draw(r, "detail")
		if rapid.Bool().Draw(r, "address") && f.Kind == KindImage {
			f.URL = "https://example.com/a"
		}
		l := Limits{
			ImageTypes: rapid.SampledFrom([][]string{nil, {"image/png"}, {"image/jpeg"}}).Draw(r, "images"),
			ImageBytes: rapid.SampledFrom([]int64{0, 300, 3000}).Draw(r, "image bytes"),
			ImageURLs:  rapid.Bool().Draw(r, "addresses"),
			PDF:        rapid.Bool().Draw(r, "pdf"),
			PDFPages:   rapid.IntRange(0, 4).Draw(r, "pages"),
			AudioTypes: rapid.SampledFrom([][]string{nil, {"audio/wav"}, {"audio/mpeg"}}).Draw(r, "audio"),
			AudioBytes: rapid.SampledFrom([]int64{0, 500, 5000}).Draw(r, "audio bytes"),
			TextBytes:  rapid.SampledFrom([]int64{0, 60, 1000}).Draw(r, "text"),
		}
		first := plan(t, p, f.Item, f.Content, l, false)
		again := plan(t, other, f.Item, f.Content, l, false)
		if diff := cmp.Diff(first, again, cmp.Comparer(func(a, b Content) bool { return a.SHA256() == b.SHA256() })); diff != "" {
			r.Errorf("not the same: %s", diff)
		}
	})
}
