package upstream

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// smallBuffer makes short files cross the edges of buffers.
const smallBuffer = 16

// stored is content in memory.
type stored []byte

func (stored) SHA256() string                 { return "" }
func (s stored) Size() int64                  { return int64(len(s)) }
func (s stored) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s)), nil }

func TestBodyCanBeReadAgain(t *testing.T) {
	t.Parallel()
	files := NewFiles()
	load, err := files.Cut([]byte(`{"data":"`+files.Add(stored("abcdefg"), AsBase64)+`"}`), NewBuffers(smallBuffer))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://x.test", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	load.Attach(req)
	first, err := io.ReadAll(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	again, err := req.GetBody()
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(again, first); err != nil {
		t.Error(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if _, err := again.Read(make([]byte, 1)); err == nil {
		t.Error("a closed body can be read")
	}
}

// Text that looks like a placeholder is text.
func TestPlaceholdersCannotBeForged(t *testing.T) {
	t.Parallel()
	s := NewFiles()
	mark := s.Add(stored("file"), AsBase64)
	for _, body := range []string{"", mark + mark, mark[:len(mark)-1], mark[:len(mark)-1] + "1", mark[:len(mark)-2] + "xx"} {
		if _, err := s.Cut([]byte(body), NewBuffers(smallBuffer)); err == nil {
			t.Errorf("%q was accepted", body)
		}
	}
	if load, err := s.Cut([]byte(`"`+mark+`"`), NewBuffers(smallBuffer)); err != nil || load.Size() != 10 {
		t.Errorf("%+v, %v", load, err)
	}
	if NewFiles().prefix == s.prefix {
		t.Error("placeholders can be foreseen")
	}
}

// The measure of encodeBase64 is the standard library.
func TestEncodeBase64(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "src")
		dst := make([]byte, base64.StdEncoding.EncodedLen(len(src)))
		encodeBase64(dst, src)
		if want := base64.StdEncoding.EncodeToString(src); string(dst) != want {
			t.Errorf("got  %s\nwant %s", dst, want)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	const size = 18 << 20
	files := NewFiles()
	load, err := files.Cut([]byte(`"`+files.Add(stored(bytes.Repeat([]byte("0123456789abcdef"), size/16)), AsBase64)+`"`), NewBuffers(BufferSize))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	buf := make([]byte, 32<<10)
	for b.Loop() {
		r := load.Open()
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, buf); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}
