package upstreamtest

import (
	"context"
	"fmt"
	"io"
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

// Read is what the answer that begin makes yields of a body.
func Read(body io.Reader, begin func(yield func(model.Chunk, error) bool) upstream.Answer) (got []model.Chunk, whole bool, err error) {
	a := begin(func(c model.Chunk, _ error) bool { got = append(got, c); return true })
	whole, err = upstream.Read(context.Background(), body, 1<<16, a)
	return got, whole, err
}

// Splits checks that the chunks of answers made of pieces do not depend on how the
// network cuts the bytes.
func Splits(t *testing.T, pieces []string, begin func(yield func(model.Chunk, error) bool) upstream.Answer) {
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "crlf") {
			stream = strings.ReplaceAll(stream, "\n", "\r\n")
		}
		want, _, wantErr := Read(strings.NewReader(stream), begin)
		sizes := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 20).Draw(t, "cuts")
		rest, n := stream, 0
		got, _, err := Read(ReaderFunc(func(b []byte) (int, error) {
			if len(rest) == 0 {
				return 0, io.EOF
			}
			c := copy(b, rest[:min(len(rest), sizes[n%len(sizes)])])
			rest = rest[c:]
			n++
			return c, nil
		}), begin)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("chunks (-whole +cut):\n%s", diff)
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("error %v, want %v", err, wantErr)
		}
	})
}
