package attachment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"codeberg.org/go-pdf/fpdf"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memoryStore is a BlobStore in memory. Before, if set, runs in Put before the
// first byte is read: the moment when a file may change.
type memoryStore struct {
	mu     sync.Mutex
	blobs  map[string][]byte
	before func()
	fail   error
}

func newStore() *memoryStore { return &memoryStore{blobs: map[string][]byte{}} }

func (s *memoryStore) Put(_ context.Context, r io.Reader, max int64) (string, int64, error) {
	if s.before != nil {
		s.before()
	}
	if s.fail != nil {
		return "", 0, s.fail
	}
	data, err := io.ReadAll(io.LimitReader(r, max+1))
	if err != nil {
		return "", 0, fmt.Errorf("storing: %w", err)
	}
	sum := sha256.Sum256(data)
	sha := hex.EncodeToString(sum[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blobs[sha] = data
	return sha, int64(len(data)), nil
}

func (s *memoryStore) Content(sha string) (Content, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.blobs[sha]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return bytesContent(data), nil
}

// bytesContent is a Content in memory.
type bytesContent []byte

func (c bytesContent) Open() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(c)), nil
}
func (c bytesContent) Size() int64 { return int64(len(c)) }
func (c bytesContent) SHA256() string {
	sum := sha256.Sum256(c)
	return hex.EncodeToString(sum[:])
}

// write makes a file in a folder of the test's own and returns its path.
func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// picture is an image of noise in a gradient: it compresses like a photo.
func picture(w, h int, alpha uint8) *image.NRGBA {
	rnd := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, color.NRGBA{
				R: uint8(x*255/w) ^ uint8(rnd.UintN(16)), G: uint8(y * 255 / h), B: uint8(rnd.UintN(64)), A: alpha,
			})
		}
	}
	return m
}

func pngBytes(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegBytes(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pdfBytes is a PDF with a page per text.
func pdfBytes(t testing.TB, configure func(*fpdf.Fpdf), pages ...string) []byte {
	t.Helper()
	d := fpdf.New("P", "mm", "A4", "")
	if configure != nil {
		configure(d)
	}
	d.SetFont("Helvetica", "", 12)
	for _, page := range pages {
		d.AddPage()
		d.MultiCell(0, 6, page, "", "L", false)
	}
	var b bytes.Buffer
	if err := d.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// resolve runs Resolve and fails the test on an error.
func resolve(t testing.TB, p Policy, paths ...string) Resolution {
	t.Helper()
	r, err := Resolve(context.Background(), paths, p, newStore())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// itemOf is the item that data would be, without going through a file.
func itemOf(t testing.TB, name string, data []byte) (Item, Content) {
	t.Helper()
	store := newStore()
	r, err := Resolve(context.Background(), []string{write(t, name, data)}, Policy{FileBytes: 1 << 30, TurnBytes: 1 << 30}, store)
	if err != nil || len(r.Items) != 1 {
		t.Fatalf("%s was not accepted: %+v, %v", name, r.Refused, err)
	}
	c, err := store.Content(r.Items[0].SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return r.Items[0], c
}
