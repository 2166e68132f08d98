package api

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"testing"
)

// What is compressed in parts is one member that any reader takes.
func TestGzipped(t *testing.T) {
	t.Parallel()
	words := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 3*gzipPart+1)
	for i := range text {
		text[i] = "deliverable "[words.IntN(12)]
	}
	for _, n := range []int{0, 1, gzipPart - 1, gzipPart, gzipPart + 1, 2 * gzipPart, len(text)} {
		packed, err := gzipped(text[:n])
		if err != nil {
			t.Fatal(err)
		}
		in := bytes.NewReader(packed)
		r, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		r.Multistream(false)
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, text[:n]) || in.Len() > 0 {
			t.Errorf("%d bytes came back as %d, %d behind them, %v", n, len(got), in.Len(), err)
		}
	}
}
