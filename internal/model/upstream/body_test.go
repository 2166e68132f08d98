package upstream

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"
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
	call := Call{buffers: NewBuffers(smallBuffer)}
	text := `{"data":"` + call.Files.Add(stored("abcdefg"), AsBase64) + `"}`
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://x.test", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	res, err := call.Send(req, func(req *http.Request) (*http.Response, error) {
		first, err = io.ReadAll(req.Body)
		return &http.Response{StatusCode: 400, Body: http.NoBody}, err
	})
	if err != nil || res.Body.Close() != nil || req.ContentLength != int64(len(first)) {
		t.Fatalf("%v, %d bytes of %d", err, len(first), req.ContentLength)
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
	var s Files
	mark := s.Add(stored("file"), AsBase64)
	for _, body := range []string{"", mark + mark, mark[:len(mark)-1], mark[:len(mark)-1] + "1", mark[:len(mark)-2] + "xx"} {
		if _, err := s.Cut([]byte(body), 0, NewBuffers(smallBuffer)); err == nil {
			t.Errorf("%q was accepted", body)
		}
	}
	if load, err := s.Cut([]byte(`"`+mark+`"`), 0, NewBuffers(smallBuffer)); err != nil || load.Size() != 10 {
		t.Errorf("%+v, %v", load, err)
	}
	var other Files
	if again := other.Add(stored("file"), AsBase64); again == mark {
		t.Error("placeholders can be foreseen")
	}
}

func BenchmarkEncode(b *testing.B) {
	const size = 18 << 20
	var files Files
	load, err := files.Cut([]byte(`"`+files.Add(stored(bytes.Repeat([]byte("0123456789abcdef"), size/16)), AsBase64)+`"`), 0, NewBuffers(BufferSize))
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
