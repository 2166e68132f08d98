package upstreamtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// ReaderFunc is a reader that is a function.
type ReaderFunc func([]byte) (int, error)

// Read implements [io.Reader].
func (f ReaderFunc) Read(p []byte) (int, error) { return f(p) }

// Reply is a transport with one answer, an event stream that is read from Body.
type Reply struct{ Body io.Reader }

// RoundTrip implements [http.RoundTripper].
func (a *Reply) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(a.Body), Request: r,
	}, r.Body.Close()
}

// Splits checks that the chunks of answers made of pieces do not depend on how the
// network cuts the bytes. The provider gets its answers from reply.
func Splits(t *testing.T, pieces []string, p *upstream.Provider, reply *Reply) {
	read := func(body io.Reader) ([]model.Chunk, error) {
		reply.Body = body
		return Collect(p.Stream(context.Background(), ask("x")))
	}
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "crlf") {
			stream = strings.ReplaceAll(stream, "\n", "\r\n")
		}
		want, wantErr := read(strings.NewReader(stream))
		sizes := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 20).Draw(t, "cuts")
		rest, n := stream, 0
		got, err := read(ReaderFunc(func(b []byte) (int, error) {
			if len(rest) == 0 {
				return 0, io.EOF
			}
			c := copy(b, rest[:min(len(rest), sizes[n%len(sizes)])])
			rest = rest[c:]
			n++
			return c, nil
		}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("chunks (-whole +cut):\n%s", diff)
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("error %v, want %v", err, wantErr)
		}
	})
}
