package attachment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"belay/internal/fault"
)

// generous takes everything natively.
var generous = Limits{
	ImageTypes: []string{"image/png", "image/jpeg", "image/gif", "image/webp"},
	ImageBytes: 5 << 20, ImageSide: 8000, PDF: true, PDFBytes: 32 << 20, PDFPages: 100, TextBytes: 1 << 20,
}

func newPlanner(t testing.TB, o PlannerOptions) *Planner {
	t.Helper()
	if o.CacheDir == "" {
		o.CacheDir = t.TempDir()
	}
	o.PDFInterpreted = true // starts at once, with or without the race detector
	return startPlanner(t, o)
}

// newCompiledPlanner is newPlanner for tests that read much: it starts later and reads faster.
func newCompiledPlanner(t testing.TB) *Planner {
	t.Helper()
	return startPlanner(t, PlannerOptions{CacheDir: t.TempDir()})
}

func startPlanner(t testing.TB, o PlannerOptions) *Planner {
	t.Helper()
	o.WorkTime = time.Hour // on a busy machine as on an idle one
	p, err := NewPlanner(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// plan plans and checks what must hold for every delivery.
func plan(t testing.TB, p *Planner, it Item, src Content, l Limits, many bool) Delivery {
	t.Helper()
	d, err := p.Plan(context.Background(), it, src, l, many)
	if err != nil {
		t.Fatalf("%s: %v", it.Name, err)
	}
	if problem := broken(d, l, many); problem != "" {
		t.Fatalf("%s: %s: %+v", it.Name, problem, d)
	}
	return d
}

// broken says what is wrong with a delivery under limits l.
func broken(d Delivery, l Limits, many bool) string {
	told := !strings.Contains(d.Warning, "only the beginning")
	if len(d.Parts) == 2 {
		name, ok := d.Parts[0].(TextPart)
		if !ok || strings.ContainsAny(name.Text, "\n\r") {
			return "a first part that is no name"
		}
		told = told || strings.Contains(name.Text, "it goes on")
		d.Parts = d.Parts[1:]
	}
	if doc, ok := d.Parts[0].(TextDocumentPart); ok && !told {
		if data, err := read(doc.Content); err != nil || !bytes.Contains(data, []byte("[cut here: the file goes on")) && !bytes.Contains(data, []byte("[the first ")) {
			return "the model is not told that it is cut"
		}
	}
	if len(d.Parts) != 1 {
		return "not one part"
	}
	if (d.Used == usedNative) != (d.Warning == "") && !((d.Used == usedText || d.Used == usedAddress) && d.Warning == "") {
		return "a changed delivery says so, a native one has nothing to say"
	}
	if d.Tokens <= 0 || d.WireBytes <= 0 {
		return "not measured"
	}
	wire := func(c Content, encode func([]byte) int) string {
		data, err := read(c)
		switch {
		case err != nil:
			return err.Error()
		case int64(len(data)) != c.Size() || bytesContent(data).SHA256() != c.SHA256():
			return "size or digest are not those of the bytes"
		case int64(encode(data)) > d.WireBytes:
			return fmt.Sprintf("%d encoded bytes, measured %d", encode(data), d.WireBytes)
		}
		return ""
	}
	binary := func(data []byte) int { return (len(data) + 2) / 3 * 4 }
	switch part := d.Parts[0].(type) {
	case TextPart:
		if d.Used != usedNote && d.Used != usedAddress || part.Text == "" || strings.ContainsAny(part.Text, "\n\r") {
			return "not a note on one line"
		}
	case ImagePart:
		side := l.ImageSide
		if many && l.ManyImagesSide > 0 && (side == 0 || l.ManyImagesSide < side) {
			side = l.ManyImagesSide
		}
		if !slices.Contains(l.ImageTypes, part.MIMEType) || !under(part.Content.Size(), l.ImageBytes) ||
			!under(int64(max(part.Width, part.Height)), int64(side)) || d.Images != 1 {
			return "an image outside the limits"
		}
		if d.Used != usedNative {
			r, err := part.Content.Open()
			if err != nil {
				return err.Error()
			}
			defer r.Close()
			m, _, err := image.Decode(r)
			if err != nil || m.Bounds().Dx() != part.Width || m.Bounds().Dy() != part.Height {
				return fmt.Sprintf("the picture is not what the part says: %v", err)
			}
		}
		return wire(part.Content, binary)
	case ImageURLPart:
		if !l.ImageURLs || d.Images != 1 || d.WireBytes < int64(len(part.URL)) {
			return "an address outside the limits"
		}
	case MediaPart:
		if !slices.Contains(l.AudioTypes, part.MIMEType) || !under(part.Content.Size(), l.AudioBytes) {
			return "sound outside the limits"
		}
		return wire(part.Content, binary)
	case DocumentPart:
		if !l.PDF || !under(part.Content.Size(), l.PDFBytes) || !under(int64(part.Pages), int64(l.PDFPages)) || d.Pages != part.Pages {
			return "a document outside the limits"
		}
		return wire(part.Content, binary)
	case TextDocumentPart:
		data, err := read(part.Content)
		if err != nil || !under(int64(len(data)), l.TextBytes) || !utf8.Valid(data) || len(bytes.TrimSpace(data)) == 0 {
			return "text outside the limits, not UTF-8 or blank"
		}
		return wire(part.Content, func(data []byte) int {
			quoted, _ := json.Marshal(string(data)) // a string always can be
			return len(quoted)
		})
	}
	return ""
}

func read(c Content) ([]byte, error) {
	r, err := c.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func textOf(t testing.TB, d Delivery) string {
	t.Helper()
	part, ok := d.Parts[len(d.Parts)-1].(TextDocumentPart)
	if !ok {
		t.Fatalf("not a text document: %+v", d)
	}
	data, err := read(part.Content)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Images become image parts, PDFs documents with their title, text documents of
// text, and anything else a text that names it.
//
// Covers: attachment-resolver REQ-11, REQ-12
func TestPlanParts(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	pngData, pdfData := pngBytes(t, picture(5, 4, 255)), pdfBytes(t, nil, "page")
	for _, tt := range []struct {
		name string
		data []byte
		want Delivery
	}{
		{"p.png", pngData, Delivery{Images: 1, Parts: []Part{ImagePart{Name: "p.png", MIMEType: "image/png", Width: 5, Height: 4}}}},
		{"g.gif", tinyGIF, Delivery{Images: 1, Parts: []Part{ImagePart{Name: "g.gif", MIMEType: "image/gif", Width: 1, Height: 1}}}},
		{"d.pdf", pdfData, Delivery{Pages: 1, Parts: []Part{DocumentPart{Name: "d.pdf", MIMEType: "application/pdf", Pages: 1}}}},
		{"t.txt", []byte("some text"), Delivery{Parts: []Part{TextDocumentPart{Name: "t.txt", MIMEType: "text/plain"}}}},
		{"t.md", []byte("# some"), Delivery{Parts: []Part{TextDocumentPart{Name: "t.md", MIMEType: "text/markdown"}}}},
		{"t.csv", []byte("a,b"), Delivery{Parts: []Part{TextDocumentPart{Name: "t.csv", MIMEType: "text/csv"}}}},
	} {
		it, src := itemOf(t, tt.name, tt.data)
		got := plan(t, p, it, src, generous, false)
		want := tt.want
		want.Used = "native"
		if diff := cmp.Diff(want, got, cmpopts.IgnoreInterfaces(struct{ Content }{}), cmpopts.IgnoreFields(Delivery{}, "WireBytes", "Tokens")); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	d := plan(t, p, Item{Name: "x.mp4", MIMEType: "video/mp4", Kind: "video", Bytes: 7}, bytesContent("1234567"), generous, false)
	if want := `[The attachment "x.mp4" (video/mp4, 7 bytes) is not included: the model takes no video.]`; d.Parts[0] != (TextPart{Text: want}) {
		t.Errorf("got %+v", d)
	}
}

// The table of decisions, row by row.
func TestDecide(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{MaxPixels: 1000})
	l := Limits{
		ImageTypes: []string{"image/png", "image/jpeg"}, ImageBytes: 100, ImageSide: 20, ManyImagesSide: 10,
		PDF: true, PDFBytes: 100, PDFPages: 5,
	}
	img := func(mime string, bytes int64, w, h int) Item {
		return Item{Kind: KindImage, MIMEType: mime, Bytes: bytes, Width: w, Height: h}
	}
	doc := func(bytes int64, pages int) Item { return Item{Kind: KindPDF, Bytes: bytes, Pages: pages} }
	with := func(change func(*Limits)) Limits {
		c := l
		change(&c)
		return c
	}
	tests := []struct {
		name string
		it   Item
		l    Limits
		many bool
		want how
	}{
		{"at every limit", img("image/png", 100, 20, 20), l, false, sendNative},
		{"a byte over", img("image/png", 101, 20, 20), l, false, redraw},
		{"a pixel over", img("image/png", 100, 21, 20), l, false, redraw},
		{"too large among many", img("image/png", 100, 20, 20), l, true, redraw},
		{"small enough among many", img("image/png", 100, 10, 10), l, true, sendNative},
		{"not listed", img("image/webp", 10, 2, 2), l, false, redraw},
		{"size unknown", img("image/png", 10, 0, 0), l, false, redraw},
		{"no images at all", img("image/png", 10, 2, 2), Limits{}, false, leaveOut},
		{"nothing to encode to", img("image/png", 10, 2, 2), with(func(l *Limits) { l.ImageTypes = []string{"image/heic"} }), false, leaveOut},
		{"a bomb", img("image/png", 10, 50, 21), l, false, leaveOut},
		{"a bomb that fits", img("image/png", 10, 50, 21), with(func(l *Limits) { l.ImageSide = 0 }), false, sendNative},
		{"no limits", img("image/png", 1<<40, 30, 30), Limits{ImageTypes: l.ImageTypes}, false, sendNative},
		{"a document at every limit", doc(100, 5), l, false, sendNative},
		{"a byte over", doc(101, 5), l, false, extract},
		{"a page over", doc(100, 6), l, false, extract},
		{"uncounted", doc(100, 0), l, false, askPages},
		{"uncounted and too large", doc(101, 0), l, false, extract},
		{"uncounted and no documents", doc(100, 0), Limits{}, false, extract},
		{"no documents", doc(100, 1), Limits{}, false, extract},
		{"text", Item{Kind: KindText}, Limits{}, false, sendText},
		{"something else", Item{Kind: "audio"}, l, false, leaveOut},
	}
	for _, tt := range tests {
		if got := p.decide(tt.it, tt.l, tt.many); got.how != tt.want || (got.how == leaveOut || got.how == extract) != (got.reason != "") {
			t.Errorf("%s: got %+v, want %d", tt.name, got, tt.want)
		}
	}
}

func TestPlanText(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	long := strings.Repeat("a line with an ü\n", 100)
	tests := []struct {
		name, data string
		limit      int64
		used, want string // want is empty for a note
	}{
		{"as it is", "täxt", 100, "native", "täxt"},
		{"marked", "\xef\xbb\xbftäxt", 100, "text", "täxt"},
		{"little endian", string(utf16Bytes("täxt 😀", 0, 1)), 100, "text", "täxt 😀"},
		{"big endian", string(utf16Bytes("täxt 😀", 1, 0)), 100, "text", "täxt 😀"},
		{"at the limit", long, int64(len(long)), "native", long},
		{"no limit", long, 0, "native", long},
		{"cut at a line", long, 300, "text", strings.Repeat("a line with an ü\n", 13) + "[cut here: the file goes on, in all 1800 bytes]\n"},
		{"cut without room to say so", long, 17, "text", "a line with an ü"},
		{"empty", "", 100, "note", ""},
		{"only a mark", "\xef\xbb\xbf", 100, "note", ""},
		{"blank", " \n\t\n", 100, "note", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			it, src := itemOf(t, "f.txt", []byte(tt.data))
			for range 2 { // cold, then from the cache
				d := plan(t, p, it, src, Limits{TextBytes: tt.limit}, false)
				if d.Used != tt.used {
					t.Fatalf("used %q: %+v", d.Used, d)
				}
				if cut := strings.HasPrefix(tt.name, "cut"); cut != strings.Contains(d.Warning, "only the beginning") {
					t.Errorf("warning %q", d.Warning)
				}
				if tt.want != "" {
					if diff := cmp.Diff(tt.want, textOf(t, d)); diff != "" {
						t.Error(diff)
					}
				}
			}
		})
	}
}

func TestPlanPDF(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	pages := []string{strings.Repeat("The first page has a text. ", 20), strings.Repeat("Another text is here. ", 20), "The end is near enough."}
	it, src := itemOf(t, "d.pdf", pdfBytes(t, nil, pages...))
	with := func(change func(*Limits)) Limits {
		c := generous
		change(&c)
		return c
	}
	tests := []struct {
		name string
		l    Limits
		used string
		say  string
	}{
		{"native", generous, "native", ""},
		{"at the pages", with(func(l *Limits) { l.PDFPages = 3 }), "native", ""},
		{"over the pages", with(func(l *Limits) { l.PDFPages = 2 }), "text", "it has 3 pages, the model takes 2"},
		{"over the bytes", with(func(l *Limits) { l.PDFBytes = it.Bytes - 1 }), "text", "the model takes"},
		{"no PDF", with(func(l *Limits) { l.PDF = false }), "text", "the model takes no PDF"},
		{"cut", Limits{TextBytes: 200}, "text", "only the beginning"},
	}
	for _, tt := range tests {
		d := plan(t, p, it, src, tt.l, false)
		if d.Used != tt.used || !strings.Contains(d.Warning, tt.say) {
			t.Errorf("%s: %+v", tt.name, d)
		}
		if tt.used == "text" && !strings.Contains(textOf(t, d), "The first page has a text.") {
			t.Errorf("%s: text %q", tt.name, textOf(t, d))
		}
	}
}

// The engine counts where the counter cannot, and reads text. What it cannot read is
// a note, also in a model that takes PDFs: a provider would refuse the request.
func TestPlanPDFEngine(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{PDFIdle: time.Hour})
	open := pdfBytes(t, func(d *fpdf.Fpdf) { d.SetProtection(0, "", "owner") }, "Readable with the empty password.")
	locked := pdfBytes(t, func(d *fpdf.Fpdf) { d.SetProtection(0, "user", "owner") }, "hidden")
	damaged := []byte("%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\n")
	blank := pdfBytes(t, nil, "")
	tests := []struct {
		name string
		data []byte
		l    Limits
		used string
		say  string
	}{
		{"encrypted without password", open, Limits{}, "text", "the model takes no PDF"},
		{"counted by the engine", open, generous, "native", ""},
		{"encrypted", locked, generous, "note", "it is encrypted"},
		{"encrypted, as text", locked, Limits{}, "note", "it is encrypted"},
		{"damaged", damaged, generous, "note", "damaged"},
		{"damaged, as text", damaged, Limits{}, "note", "damaged"},
		{"without text", blank, Limits{}, "note", "no text was found"},
	}
	for _, tt := range tests {
		it, src := itemOf(t, "d.pdf", tt.data)
		cold := plan(t, p, it, src, tt.l, false)
		if cold.Used != tt.used || !strings.Contains(cold.Warning, tt.say) {
			t.Errorf("%s: %+v", tt.name, cold)
		}
		warm, err := p.Plan(context.Background(), it, unopenable{src}, tt.l, false)
		if err != nil || warm.Used != cold.Used || warm.Warning != cold.Warning {
			t.Errorf("%s: then %+v, %v", tt.name, warm, err)
		}
	}
}

// unopenable is content that nobody may open: its plan must be known.
type unopenable struct{ Content }

func (unopenable) Open() (io.ReadCloser, error) { return nil, errors.New("opened again") }

// broken limits: whatever the picture and the limits, the delivery is within
// them, and it is the same again, from the cache and from another planner.
func TestPlanImagesWithinLimits(t *testing.T) {
	t.Parallel()
	p, other := newPlanner(t, PlannerOptions{}), newPlanner(t, PlannerOptions{})
	rapid.Check(t, func(r *rapid.T) {
		m := picture(rapid.IntRange(1, 70).Draw(r, "width"), rapid.IntRange(1, 70).Draw(r, "height"),
			rapid.SampledFrom([]uint8{255, 255, 120}).Draw(r, "alpha"))
		name, data := "p.png", pngBytes(t, m)
		if rapid.Bool().Draw(r, "jpeg") {
			name, data = "p.jpg", jpegBytes(t, m)
		}
		all := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
		l := Limits{
			ImageTypes:     rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 4, rapid.ID).Draw(r, "types"),
			ImageBytes:     rapid.SampledFrom([]int64{0, 100, 700, 2000, 6000}).Draw(r, "bytes"),
			ImageSide:      rapid.SampledFrom([]int{0, 1, 20, 33, 64}).Draw(r, "side"),
			ManyImagesSide: rapid.SampledFrom([]int{0, 10, 200}).Draw(r, "many side"),
		}
		many := rapid.Bool().Draw(r, "many")
		sum := bytesContent(data).SHA256()
		it := Item{SHA256: sum, Kind: KindImage, Name: name, MIMEType: imageType(data), Bytes: int64(len(data)), Width: m.Rect.Dx(), Height: m.Rect.Dy()}
		cold := plan(t, p, it, bytesContent(data), l, many)
		warm := plan(t, p, it, bytesContent(data), l, many)
		apart := plan(t, other, it, bytesContent(data), l, many)
		for _, again := range []Delivery{warm, apart} {
			if diff := cmp.Diff(cold, again, cmp.Transformer("digest", func(c Content) string { return c.SHA256() })); diff != "" {
				r.Error(diff)
			}
		}
	})
}

// Equal plans at the same time do the work once, a warm plan does none.
func TestPlanWorksOnce(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	it, src := itemOf(t, "p.png", pngBytes(t, picture(300, 200, 255)))
	l := generous
	l.ImageSide = 100
	counted := &countingContent{Content: src}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if d, err := p.Plan(context.Background(), it, counted, l, false); err != nil || d.Used != "downscaled" {
				t.Errorf("got %+v, %v", d, err)
			}
		})
	}
	wg.Wait()
	if n := counted.opened.Load(); n != 2 { // the header, the picture
		t.Errorf("the file was opened %d times", n)
	}
	plan(t, p, it, unopenable{src}, l, false)
}

type countingContent struct {
	Content
	opened atomic.Int64
}

func (c *countingContent) Open() (io.ReadCloser, error) {
	c.opened.Add(1)
	return c.Content.Open()
}

// An image bomb is never decoded, whether the item says what it is or not.
func TestPlanBomb(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	it, src := itemOf(t, "bomb.png", bomb(t))
	d := plan(t, p, it, src, generous, false)
	if d.Used != "note" || !strings.Contains(d.Warning, "50000×50000 pixels") {
		t.Errorf("got %+v", d)
	}
	it.Width, it.Height = 0, 0
	if d := plan(t, p, it, src, generous, false); d.Used != "note" || !strings.Contains(d.Warning, "50000×50000 pixels") {
		t.Errorf("of an item without size: %+v", d)
	}
}

// Faults that are not the content's: gone bytes are a note that is not
// remembered, an unreadable store and an ended context are errors.
func TestPlanFaults(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	it, src := itemOf(t, "t.txt", []byte("text"))
	if d := plan(t, p, it, failing{src, fs.ErrNotExist}, generous, false); d.Used != "note" || !strings.Contains(d.Warning, "bytes are missing") {
		t.Errorf("missing: %+v", d)
	}
	if d := plan(t, p, it, src, generous, false); d.Used != "native" {
		t.Errorf("restored: %+v", d)
	}
	image, picture := itemOf(t, "p.png", pngBytes(t, picture(9, 9, 255)))
	small := Limits{ImageTypes: generous.ImageTypes, ImageSide: 4}
	if _, err := p.Plan(context.Background(), image, failing{picture, errors.New("input/output error")}, small, false); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("unreadable: %v", err)
	}
	if _, err := p.Plan(context.Background(), image, torn{picture}, small, false); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("unreadable in the middle: %v", err)
	}
	if d := plan(t, p, image, picture, small, false); d.Used != "downscaled" {
		t.Errorf("readable again: %+v", d)
	}
	small.ImageSide = 3
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Plan(ctx, image, picture, small, false); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Plan(context.Background(), image, picture, small, false); !fault.Is(err, fault.Overloaded) {
		t.Errorf("closed: %v", err)
	}
}

// torn is content whose disk fails in the middle.
type torn struct{ Content }

func (c torn) Open() (io.ReadCloser, error) {
	r, err := c.Content.Open()
	half := io.MultiReader(io.LimitReader(r, c.Size()/2), iotest.ErrReader(errors.New("input/output error")))
	return io.NopCloser(half), err
}

type failing struct {
	Content
	err error
}

func (f failing) Open() (io.ReadCloser, error) { return nil, f.err }

// A caller that gives up does not take the work from the others, and Close ends
// work that nobody waits for.
func TestPlanOutlivesCaller(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, PlannerOptions{})
	it, src := itemOf(t, "p.png", pngBytes(t, picture(200, 200, 255)))
	l := generous
	l.ImageSide = 50
	slow := &gatedContent{Content: src, opened: make(chan struct{}), gate: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan error, 1)
	go func() {
		_, err := p.Plan(ctx, it, slow, l, false)
		gone <- err
	}()
	<-slow.opened
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(slow.gate)
	// The work that the first caller began is what the second gets: its own
	// content cannot be opened.
	if d, err := p.Plan(context.Background(), it, unopenable{src}, l, false); err != nil || d.Used != "downscaled" {
		t.Errorf("got %+v, %v", d, err)
	}
}

// gatedContent says when it is first opened and then waits.
type gatedContent struct {
	Content
	once         sync.Once
	opened, gate chan struct{}
}

func (c *gatedContent) Open() (io.ReadCloser, error) {
	c.once.Do(func() { close(c.opened) })
	<-c.gate
	return c.Content.Open()
}

func TestNote(t *testing.T) {
	t.Parallel()
	d := Note(Item{Name: "a\nb.png", MIMEType: "image/png", Bytes: 3}, "why\nnot")
	if want := `[The attachment "a␊b.png" (image/png, 3 bytes) is not included: why␊not.]`; d.Parts[0] != (TextPart{Text: want}) {
		t.Errorf("got %q", d.Parts[0])
	}
	if problem := broken(d, Limits{}, false); problem != "" {
		t.Error(problem)
	}
}

// The measured length of text is never less than its JSON.
func FuzzEscapedLen(f *testing.F) {
	for _, s := range []string{"plain", "\"\\\b\f\n\r\t\x00\x1f\x7f", "<a href='&'>", "ü€😀\u2028\u2029"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := escapedLen(s); got < int64(len(quoted)-2) {
			t.Errorf("%q: measured %d, is %d", s, got, len(quoted)-2)
		}
	})
}

// Whatever the bytes are that an item was accepted for, its plan is no error and
// within the limits.
func FuzzPlan(f *testing.F) {
	f.Add(uint8(0), pngBytes(f, picture(20, 10, 200)), uint16(300), uint8(8))
	f.Add(uint8(0), jpegBytes(f, picture(20, 10, 255)), uint16(500), uint8(16))
	f.Add(uint8(0), tinyGIF, uint16(0), uint8(0))
	f.Add(uint8(0), tinyWebP, uint16(100), uint8(1))
	f.Add(uint8(1), []byte("täxt\nwith lines\n"), uint16(9), uint8(0))
	f.Add(uint8(2), utf16Bytes("täxt", 0, 1), uint16(5), uint8(0))
	f.Add(uint8(3), []byte("\xff\xfe\x00"), uint16(5), uint8(0))
	f.Add(uint8(3), []byte("no mark"), uint16(50), uint8(0))
	p := newPlanner(f, PlannerOptions{MaxPixels: 1 << 20})
	f.Fuzz(func(t *testing.T, kind uint8, data []byte, size uint16, side uint8) {
		it := Item{SHA256: bytesContent(data).SHA256(), Name: "f", Bytes: int64(len(data))}
		switch kind % 4 {
		case 0:
			it.Kind, it.MIMEType = KindImage, "image/x"
		case 1:
			it.Kind = KindText
		case 2:
			it.Kind, it.Charset = KindText, charsetUTF16LE
		case 3:
			it.Kind, it.Charset = KindText, charsetUTF16BE
		}
		l := Limits{ImageTypes: []string{"image/jpeg", "image/png"}, ImageBytes: int64(size), ImageSide: int(side), TextBytes: int64(size)}
		plan(t, p, it, bytesContent(data), l, false)
	})
}
