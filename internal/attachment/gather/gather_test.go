package gather

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
	"belay/internal/fault"
	"belay/internal/netguard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// store is a blob store in memory.
type store struct {
	mu    sync.Mutex
	blobs map[string][]byte
}

func newStore() *store { return &store{blobs: map[string][]byte{}} }

func (s *store) Put(_ context.Context, r io.Reader, _ int64) (string, int64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	sum := sha256.Sum256(data)
	sha := hex.EncodeToString(sum[:])
	s.mu.Lock()
	s.blobs[sha] = data
	s.mu.Unlock()
	return sha, int64(len(data)), nil
}

func (s *store) Content(string) (attachment.Content, error) { return nil, fs.ErrNotExist }

func (s *store) text(it attachment.Item) string { return string(s.blobs[it.SHA256]) }

func picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// world is a folder, a server and a gatherer over both.
type world struct {
	*Gatherer
	folder *declared.Folder
	url    string
	mux    *http.ServeMux
	temp   string
}

func newWorld(t testing.TB, o Options, files map[string]string) *world {
	t.Helper()
	return newWorldOf(t, o, 0, files)
}

// downloadsAtOnce is for how many downloads there is room.
const downloadsAtOnce = 8

// newWorldOf is newWorld with so many downloads at one time, 0 for the default.
func newWorldOf(t testing.TB, o Options, parallel int, files map[string]string) *world {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{folder: declared.NewFolder(root, 1000), mux: http.NewServeMux(), temp: filepath.Join(t.TempDir(), "downloads")}
	srv := httptest.NewServer(w.mux)
	w.url = srv.URL
	if o.Downloads == nil {
		o.Downloads, err = download.New(download.Options{
			Dir: w.temp, Timeout: time.Minute, Parallel: parallel, ItemBytes: 1 << 20, TempBytes: downloadsAtOnce << 20,
			Policy: netguard.Policy{AllowHTTP: true, AnyPort: true, MaxRedirects: 3, Internal: []string{"127.0.0.0/8"}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Gatherer = New(o)
	t.Cleanup(func() {
		srv.Close()
		if err := errors.Join(o.Downloads.Close(), root.Close()); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(w.temp); err == nil && len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return w
}

func (w *world) serve(path, body string) string {
	w.mux.HandleFunc(path, func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, body) })
	return w.url + path
}

func at(path string) declared.Attachment {
	return declared.Attachment{Source: declared.Source{Path: path}}
}
func by(url string) declared.Attachment {
	return declared.Attachment{Source: declared.Source{URL: url}}
}

// Everything a list may hold becomes an item of its own, in the author's order, with
// a report.
//
// Covers: attachments 6
func TestGather(t *testing.T) {
	t.Parallel()
	pic := string(picture(t))
	w := newWorld(t, Options{}, map[string]string{"a.png": pic, "sub/notes.md": "# Notes", "x.bin": "\x00\x01\x02"})
	remote := w.serve("/pics/b.png", pic)
	page := w.serve("/page", "Hello")
	named := func(b declared.Attachment, name string) declared.Attachment { b.Name = name; return b }
	detail := at("a.png")
	detail.Meta = map[string]any{"image_detail": "high"}
	detail.From, detail.Line = "task classify, tasks[0].attachments[0]", 7
	hinted := named(at("sub/notes.md"), "Notes")
	hinted.MIME = "image/png"
	list := []*declared.Attachment{
		as(declared.TypeImage, detail),
		as(declared.TypeImage, by(remote+"?sig=secret-signature")),
		as(declared.TypeFile, hinted),
		direct(by(remote + "?sig=secret-signature")),
		as(declared.TypeURL, by(page+"?sig=secret-signature")),
		fetch(by(page + "?sig=secret-signature")),
		as(declared.TypeFile, at("x.bin")),
		as(declared.TypeFile, named(at("a.png"), "Bundle")),
		as(declared.TypeFile, named(at("x.bin"), "Bundle")),
	}
	s := newStore()
	r, err := w.Gather(t.Context(), w.folder, list, s)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Name, Kind, Content string
	}
	var got []row
	for _, it := range r.Items {
		got = append(got, row{it.Name, string(it.Kind), s.text(it)})
	}
	want := []row{
		{"a.png", "image", pic}, {"b.png", "image", pic}, {"Notes", "text", "# Notes"},
		{"b.png", "image", remote + "?sig=secret-signature\r\n"}, {"page", "url", page + "?sig=secret-signature\r\n"},
		{"page", "text", "Hello"}, {"x.bin", "file", "\x00\x01\x02"},
		{"Bundle (a.png)", "image", pic}, {"Bundle (x.bin)", "file", "\x00\x01\x02"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if r.Items[0].Detail != "high" || r.Items[3].URL == "" || r.Items[1].URL != "" {
		t.Errorf("items: %+v", r.Items)
	}
	first := Report{
		Name: "a.png", Type: declared.TypeImage, From: "task classify, tasks[0].attachments[0]", Line: 7, Origin: "a.png", Meta: map[string]any{"image_detail": "high"},
		SHA256: r.Items[0].SHA256, MIME: "image/png", Bytes: int64(len(pic)),
	}
	if diff := cmp.Diff(first, r.Reports[0]); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if len(r.Reports[2].Warnings) == 0 {
		t.Error("a wrong mime is not told")
	}
	text, err := json.Marshal(r.Reports)
	if err != nil || bytes.Contains(text, []byte("secret-signature")) {
		t.Errorf("the reports tell a secret: %s, %v", text, err)
	}
}

// Each refused attachment is named with its place; nothing begins without those that
// are needed.
//
// Covers: attachments 6, attachments 10.4
func TestRefused(t *testing.T) {
	t.Parallel()
	pic := string(picture(t))
	w := newWorld(t, Options{TaskBytes: 5000, Terms: attachment.Terms{FileBytes: 4000}}, map[string]string{
		"a.png": pic, "notes.txt": "notes", "dir/x": "x", "huge.txt": strings.Repeat("x", 4001), "much.txt": strings.Repeat("x", 3000), "more.txt": strings.Repeat("y", 3000),
		"late.txt": "z",
	})
	if err := os.Symlink("/etc/hostname", filepath.Join(w.folder.Dir(), "out")); err != nil {
		t.Fatal(err)
	}
	optional := at("none.png")
	optional.Optional = true
	lined := at("missing.png")
	lined.Line = 12
	list := []*declared.Attachment{
		as(declared.TypeImage, at("a.png")),
		as(declared.TypeImage, optional),
		as(declared.TypeImage, lined),
		as(declared.TypeImage, at("notes.txt")),
		as(declared.TypeFile, at("dir")),
		as(declared.TypeFile, at("huge.txt")),
		as(declared.TypeFile, at("out")),
		as(declared.TypePDF, by("http://me:pass-word@10.0.0.1/x.pdf?key=secret-key")),
		direct(by("http://10.0.0.1/x.png")),
		as(declared.TypeFile, by(w.url+"/nothing")),
		as(declared.TypeFile, at("much.txt")),
		as(declared.TypeFile, at("more.txt")),
		as(declared.TypeFile, at("late.txt")),
	}
	r, err := w.Gather(t.Context(), w.folder, list, newStore())
	var f *fault.Error
	if !errors.As(err, &f) || f.Type != fault.AttachmentFailure || r.Items != nil {
		t.Fatalf("got %+v, %v", r, err)
	}
	var codes []attachment.Code
	for _, rep := range r.Reports {
		codes = append(codes, rep.Code)
	}
	want := []attachment.Code{
		"", attachment.NotFound, attachment.NotFound, attachment.TypeNotAllowed, attachment.NotRegular, attachment.TooLarge, attachment.OutsideRoots,
		download.AddressRefused, download.AddressRefused, download.BadStatus, "", attachment.OverBudget, "",
	}
	// huge.txt takes no room that others could have.
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	text := f.Message
	for _, part := range []string{"9 of 13 attachments cannot be used:", "\nline 12: missing.png: there is no such file", "NOT_FOUND", "http://10.0.0.1/x.pdf?…: the address"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in %s", part, text)
		}
	}
	for _, secret := range []string{"pass-word", "secret-key", "none.png"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in %s", secret, text)
		}
	}
	if n := len(f.Details["attachmentErrors"].([]Report)); n != 9 {
		t.Errorf("%d reports in the details", n)
	}
}

func TestOneAddressIsFetchedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, nil)
	var asked atomic.Int32
	pic := picture(t)
	w.mux.HandleFunc("/a.png", func(rw http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = rw.Write(pic)
	})
	list := []*declared.Attachment{
		as(declared.TypeImage, by(w.url+"/a.png")), as(declared.TypeFile, by(w.url+"/a.png#part")), as(declared.TypePDF, by(w.url+"/a.png")),
	}
	r, err := w.Gather(t.Context(), nil, list, newStore())
	if !fault.Is(err, fault.AttachmentFailure) || r.Reports[0].Code != "" || r.Reports[1].Code != "" || r.Reports[2].Code != attachment.TypeNotAllowed {
		t.Errorf("got %+v, %v", r.Reports, err)
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// Covers: attachments 10.1
func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{MaxItems: 2, TaskBytes: 10}, map[string]string{"a": "12345"})
	long := w.serve("/long", "12345678901")
	three := []*declared.Attachment{as(declared.TypeFile, at("a")), as(declared.TypeFile, at("a")), as(declared.TypeFile, at("a"))}
	if _, err := w.Gather(t.Context(), w.folder, three, newStore()); err == nil || !strings.Contains(err.Error(), "attachments.max_items") {
		t.Errorf("three of two: %v", err)
	}
	if _, err := w.Gather(t.Context(), w.folder, three[:2], newStore()); err != nil {
		t.Errorf("ten bytes of ten: %v", err)
	}
	wrong := at("a")
	wrong.Optional = true
	roomy := New(Options{Downloads: w.o.Downloads, TaskBytes: 10})
	if r, err := roomy.Gather(t.Context(), w.folder, append([]*declared.Attachment{as(declared.TypeImage, wrong)}, three[:2]...), newStore()); err != nil || len(r.Items) != 2 {
		t.Errorf("what is refused takes the room of others: %+v, %v", r.Reports, err)
	}
	r, err := w.Gather(t.Context(), w.folder, []*declared.Attachment{as(declared.TypeFile, by(long))}, newStore())
	if err == nil || r.Reports[0].Code != attachment.OverBudget {
		t.Errorf("eleven bytes of ten by address: %+v, %v", r, err)
	}
	if r, err := w.Gather(t.Context(), nil, nil, newStore()); err != nil || len(r.Reports) != 0 {
		t.Errorf("nothing: %+v, %v", r, err)
	}
}

// Covers: attachments 10.2, attachments 6.1
func TestCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, map[string]string{"a": "x"})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("interrupted")
	w.mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprint(rw, "x")
		rw.(http.Flusher).Flush()
		cancel(why)
		<-r.Context().Done()
	})
	var list []*declared.Attachment
	for i := range 50 {
		list = append(list, as(declared.TypeFile, by(fmt.Sprintf("%s/%d", w.url, i))), as(declared.TypeFile, at("a")))
	}
	if _, err := w.Gather(ctx, w.folder, list, newStore()); !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// failing is a store whose disk is full.
type failing struct{}

func (failing) Put(_ context.Context, r io.Reader, _ int64) (string, int64, error) {
	_, _ = io.Copy(io.Discard, r)
	return "", 0, fault.New(fault.StorageFailure, "full")
}
func (failing) Content(string) (attachment.Content, error) { return nil, fs.ErrNotExist }

func TestAFailingStoreIsNoRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, map[string]string{"a": "x"})
	url := w.serve("/x", "x")
	for _, base := range []declared.Attachment{at("a"), by(url)} {
		base.Optional = true
		if _, err := w.Gather(t.Context(), w.folder, []*declared.Attachment{as(declared.TypeFile, base)}, failing{}); !fault.Is(err, fault.StorageFailure) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := w.Gather(t.Context(), nil, []*declared.Attachment{as(declared.TypeURL, by(url))}, failing{}); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("an address: %v", err)
	}
}

// slow is a store that keeps the first file only once it is let go.
type slow struct {
	*store
	first sync.Once
	free  chan struct{}
}

func (s *slow) Put(ctx context.Context, r io.Reader, limit int64) (string, int64, error) {
	s.first.Do(func() {
		select {
		case <-s.free:
		case <-ctx.Done():
		}
	})
	return s.store.Put(ctx, r, limit)
}

// A server is asked for the next while what it sent is still being stored.
//
// Covers: attachments 10.2
func TestFetchingDoesNotWaitForStoring(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, Options{}, 1, nil)
	s := &slow{store: newStore(), free: make(chan struct{})}
	var asked atomic.Int32
	w.mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 2 {
			close(s.free)
		}
		fmt.Fprint(rw, r.URL.Path)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	list := []*declared.Attachment{as(declared.TypeFile, by(w.url+"/1")), as(declared.TypeFile, by(w.url+"/2"))}
	r, err := w.Gather(ctx, nil, list, s)
	if err != nil || len(r.Items) != 2 || s.text(r.Items[0]) != "/1" || s.text(r.Items[1]) != "/2" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// Where the disk fills up, nothing more is asked for, and nothing is left.
func TestAFailingStoreEndsFetching(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, nil)
	var asked atomic.Int32
	w.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = rw.Write(make([]byte, 100<<10)) // a file on disk
	})
	var list []*declared.Attachment
	for i := range 200 {
		list = append(list, as(declared.TypeFile, by(fmt.Sprintf("%s/%d", w.url, i))))
	}
	if _, err := w.Gather(t.Context(), nil, list, failing{}); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("got %v", err)
	}
	if n := asked.Load(); n > 50 {
		t.Errorf("%d of 200 were fetched", n)
	}
	// There is room for as many as before, all of them at once.
	var together atomic.Int64 // of the first part some requests may still arrive
	all := make(chan struct{})
	w.mux.HandleFunc("/all/", func(rw http.ResponseWriter, r *http.Request) {
		if together.Add(1) == downloadsAtOnce {
			close(all)
		}
		select {
		case <-all:
		case <-r.Context().Done():
		}
		fmt.Fprint(rw, "x")
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var group errgroup.Group
	for range downloadsAtOnce {
		group.Go(func() error {
			f, err := w.o.Downloads.Fetch(ctx, w.url+"/all/")
			if err != nil {
				return err
			}
			return f.Close()
		})
	}
	if err := group.Wait(); err != nil {
		t.Errorf("what failed has kept its room: %v", err)
	}
}

// What is at different places has different labels: the path from the folder on, the
// address, and a number where that is not enough.
func TestLabels(t *testing.T) {
	t.Parallel()
	named := func(b declared.Attachment, name string) *declared.Attachment {
		b.Name = name
		return as(declared.TypeFile, b)
	}
	ofProject := func(path string) declared.Attachment {
		return declared.Attachment{Source: declared.Source{Path: path, Project: true}}
	}
	for name, c := range map[string]struct {
		list []*declared.Attachment
		want []string
	}{
		"files":           {[]*declared.Attachment{named(at("a/x.txt"), ""), named(at("b/x.txt"), ""), named(at("b/y.txt"), "")}, []string{"a/x.txt", "b/x.txt", "y.txt"}},
		"two bases":       {[]*declared.Attachment{named(at("x.txt"), ""), named(ofProject("x.txt"), "")}, []string{"x.txt", "project/x.txt"}},
		"a name of both":  {[]*declared.Attachment{named(at("a/x.txt"), "Notes"), named(at("b/x.txt"), "Notes"), named(at("c/y.txt"), "Notes")}, []string{"Notes (a/x.txt)", "Notes (b/x.txt)", "Notes (y.txt)"}},
		"addresses":       {[]*declared.Attachment{named(by("https://a.example/x.txt"), ""), named(by("https://b.example/x.txt"), "")}, []string{"a.example/x.txt", "b.example/x.txt"}},
		"queries":         {[]*declared.Attachment{named(by("https://a.example/x?n=1"), ""), named(by("https://a.example/x?n=2"), "")}, []string{"a.example/x", "a.example/x (2)"}},
		"one thing twice": {[]*declared.Attachment{named(at("a/x.txt"), ""), as(declared.TypeImage, at("a/x.txt"))}, []string{"x.txt", "x.txt"}},
		"a name and file": {[]*declared.Attachment{named(at("a/x.txt"), ""), named(at("b/y.txt"), "x.txt")}, []string{"x.txt", "x.txt (y.txt)"}},
		"taken":           {[]*declared.Attachment{named(by("https://a.example/x?n=1"), ""), named(by("https://a.example/x?n=2"), ""), named(at("z"), "a.example/x (2)")}, []string{"a.example/x", "a.example/x (2)", "a.example/x (2) (2)"}},
	} {
		if diff := cmp.Diff(c.want, Labels(c.list)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// as is an attachment of a type.
func as(typ declared.Type, a declared.Attachment) *declared.Attachment {
	a.Type = typ
	return &a
}

func direct(a declared.Attachment) *declared.Attachment {
	a.Direct = true
	return as(declared.TypeImage, a)
}

func fetch(a declared.Attachment) *declared.Attachment {
	a.Fetch = true
	return as(declared.TypeURL, a)
}
