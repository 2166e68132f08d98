package attachment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
)

// folderStore writes blobs as files, as the real store does.
type folderStore struct {
	dir     string
	buffers sync.Pool
}

func newFolderStore(b *testing.B) *folderStore {
	return &folderStore{dir: b.TempDir(), buffers: sync.Pool{New: func() any { return new([256 << 10]byte) }}}
}

func (s *folderStore) Put(_ context.Context, r io.Reader, max int64) (string, int64, error) {
	f, err := os.CreateTemp(s.dir, "tmp-*")
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	buffer := s.buffers.Get().(*[256 << 10]byte)
	defer s.buffers.Put(buffer)
	n, err := io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(f, h)}, io.LimitReader(r, max+1), buffer[:])
	if err != nil {
		return "", 0, err
	}
	sha := hex.EncodeToString(h.Sum(nil))
	return sha, n, os.Rename(f.Name(), filepath.Join(s.dir, sha))
}

func (s *folderStore) Content(sha string) (Content, error) {
	path := filepath.Join(s.dir, sha)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return fileContent{path: path, sha: sha, size: info.Size()}, nil
}

// fullTurn is the turn of the speed table: three PNGs of 5 MiB and a PDF
// of 3 MiB.
func fullTurn(b *testing.B) (paths []string, bytes int64) {
	b.Helper()
	rnd := rand.NewChaCha8([32]byte{1})
	noise := func(n int) []byte {
		data := make([]byte, n)
		_, _ = rnd.Read(data) // never fails
		return data
	}
	for i := range 3 {
		data := pngBytes(b, picture(8, 8, 255))
		end := len(data) - 12 // the last chunk stays last
		data = append(append(data[:end:end], noise(5<<20-len(data))...), data[end:]...)
		paths = append(paths, write(b, fmt.Sprintf("%d.png", i), data))
		bytes += int64(len(data))
	}
	data := pdfBytes(b, nil, "a page", "another")
	data = append(data, "\n99 0 obj\n<< /Length 1 >>\nstream\n"...)
	data = append(data, noise(3<<20-len(data))...)
	return append(paths, write(b, "d.pdf", data)), bytes + int64(len(data))
}

// BenchmarkResolve is the whole way of a full turn's files into the store; bare
// is reading, hashing and writing the same files one after the other and nothing
// else.
func BenchmarkResolve(b *testing.B) {
	paths, bytes := fullTurn(b)
	b.Run("resolve", func(b *testing.B) {
		store := newFolderStore(b)
		b.SetBytes(bytes)
		b.ReportAllocs()
		for b.Loop() {
			r, err := Resolve(context.Background(), paths, Policy{}, store)
			if err != nil || len(r.Items) != 4 || r.Items[3].Pages != 2 {
				b.Fatalf("%+v, %v", r, err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		store := newFolderStore(b)
		b.SetBytes(bytes)
		b.ReportAllocs()
		for b.Loop() {
			for _, path := range paths {
				f, err := os.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := store.Put(context.Background(), f, 10<<20); err != nil {
					b.Fatal(err)
				}
				_ = f.Close()
			}
		}
	})
}

// BenchmarkPlan is a 12 megapixel photo for a model that takes 1568 pixels: made
// once, then known.
func BenchmarkPlan(b *testing.B) {
	data := jpegBytes(b, picture(4000, 3000, 255))
	it, src := itemOf(b, "p.jpg", data)
	l := generous
	l.ImageSide = 1568
	p := newPlanner(b, PlannerOptions{CacheBytes: 1 << 30})
	b.Run("cold", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			it.SHA256 = fmt.Sprint(i)
			if d, err := p.Plan(context.Background(), it, src, l, false); err != nil || d.Used != "downscaled" {
				b.Fatalf("%+v, %v", d, err)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if d, err := p.Plan(context.Background(), it, src, l, false); err != nil || d.Used != "downscaled" {
				b.Fatalf("%+v, %v", d, err)
			}
		}
	})
	b.Run("native", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if d, err := p.Plan(context.Background(), it, src, Limits{ImageTypes: []string{"image/jpeg"}}, false); err != nil || d.Used != "native" {
				b.Fatalf("%+v, %v", d, err)
			}
		}
	})
}

// manyFiles are the local items of the speed table: 1,000 of 200 KB, of
// all kinds.
func manyFiles(b *testing.B) (paths []string, bytes int64) {
	b.Helper()
	const size = 200_000
	rnd := rand.NewChaCha8([32]byte{2})
	fill := func(head []byte) []byte {
		data := make([]byte, size)
		_, _ = rnd.Read(data) // never fails
		copy(data, head)
		return data
	}
	jpeg := jpegBytes(b, picture(640, 480, 255))
	png := pngBytes(b, picture(8, 8, 255))
	end := png[len(png)-12:]
	words := []byte(strings.Repeat("Some words in a line of text, as there are many.\n", size/49+1))[:size]
	pdf := pdfBytes(b, nil, "a page", "another")
	wav := wavBytes(8000, 1, 16, 99_000)
	dir := b.TempDir()
	for i := range 1000 {
		var data []byte
		var ext string
		switch i % 5 {
		case 0:
			data, ext = fill(jpeg), ".jpg"
		case 1:
			data, ext = append(fill(png[:len(png)-12])[:size-12], end...), ".png"
		case 2:
			data, ext = append(fmt.Appendf(nil, "%d ", i), words...)[:size], ".txt"
		case 3:
			ext = ".pdf"
			data = append(slices.Clone(pdf), "\n99 0 obj\n<< /Length 1 >>\nstream\n"...)
			data = append(data, fill(nil)[:size-len(data)]...)
		case 4:
			data, ext = fill(wav[:44]), ".wav"
		}
		path := filepath.Join(dir, fmt.Sprintf("%d%s", i, ext))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
		paths = append(paths, path)
		bytes += int64(len(data))
	}
	return paths, bytes
}

// hashStore only reads and hashes. The pages of its PDFs are counted in whole.
type hashStore struct {
	buffers sync.Pool
	whole   Content
}

func newHashStore(b *testing.B, pdf string) *hashStore {
	info, err := os.Stat(pdf)
	if err != nil {
		b.Fatal(err)
	}
	return &hashStore{
		buffers: sync.Pool{New: func() any { return new([256 << 10]byte) }},
		whole:   fileContent{path: pdf, size: info.Size()},
	}
}

func (s *hashStore) Put(_ context.Context, r io.Reader, max int64) (string, int64, error) {
	h := sha256.New()
	buffer := s.buffers.Get().(*[256 << 10]byte)
	defer s.buffers.Put(buffer)
	n, err := io.CopyBuffer(struct{ io.Writer }{h}, io.LimitReader(r, max+1), buffer[:])
	return hex.EncodeToString(h.Sum(nil)), n, err
}

func (s *hashStore) Content(string) (Content, error) { return s.whole, nil }

// BenchmarkAccept is the typing and hashing of many files, in parallel as the
// gatherer does it; bare is reading and hashing them, in parallel as well, and
// nothing else. stored is the whole way into a folder of blobs.
func BenchmarkAccept(b *testing.B) {
	paths, bytes := manyFiles(b)
	each := func(b *testing.B, f func(path string, file *os.File) error) {
		b.SetBytes(bytes)
		for b.Loop() {
			group := errgroup.Group{}
			group.SetLimit(intakes)
			for _, path := range paths {
				group.Go(func() error {
					file, err := os.Open(path)
					if err != nil {
						return err
					}
					return f(path, file)
				})
			}
			if err := group.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	}
	accept := func(store BlobStore) func(string, *os.File) error {
		return func(path string, f *os.File) error {
			a, err := Accept(context.Background(), Opened{File: f, Name: filepath.Base(path), Origin: path}, Terms{}, store)
			if err == nil && (a.Refused != nil || a.Item.Kind == KindFile || len(a.Warnings) > 0) {
				err = fmt.Errorf("%s: %+v", path, a)
			}
			return err
		}
	}
	b.Run("accept", func(b *testing.B) { each(b, accept(newHashStore(b, paths[3]))) })
	b.Run("bare", func(b *testing.B) {
		store := newHashStore(b, paths[3])
		each(b, func(_ string, f *os.File) error {
			defer f.Close()
			_, _, err := store.Put(context.Background(), f, 1<<20)
			return err
		})
	})
	b.Run("stored", func(b *testing.B) { each(b, accept(newFolderStore(b))) })
}
