package attachment

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// A JPEG that was cut off has no end after its pixels begin, whatever else it has.
func TestEndsJPEG(t *testing.T) {
	t.Parallel()
	whole := jpegBytes(t, picture(300, 200, 255))
	thumbnail := jpegBytes(t, picture(3, 2, 255))
	size := len(thumbnail) + 2
	inside := append([]byte{0xff, 0xe1, byte(size >> 8), byte(size)}, thumbnail...)
	with := append(append(bytes.Clone(whole[:2]), inside...), whole[2:]...)
	filled := append([]byte{0xff, 0xd8, 0xff, 0xff}, whole[2:]...)
	tests := map[string]struct {
		data []byte
		want bool
	}{
		"whole":                        {whole, true},
		"with a thumbnail":             {with, true},
		"with fill bytes":              {filled, true},
		"with a film behind it":        {append(bytes.Clone(whole), strings.Repeat("film", 50_000)...), true},
		"cut":                          {whole[:len(whole)-2], false},
		"cut in its marker":            {whole[:len(whole)-1], false},
		"cut behind its thumbnail":     {with[:len(with)-len(whole)/2], false},
		"cut before its pixels":        {whole[:200], false},
		"cut, with zeros in its place": {append(bytes.Clone(whole[:len(whole)-100]), make([]byte, 100)...), false},
		"a signature":                  {whole[:3], false},
	}
	for name, tt := range tests {
		for _, buffer := range []int{16, 17, 4096} { // a marker may lie across two pieces
			if got := endsJPEG(bufio.NewReaderSize(bytes.NewReader(tt.data), buffer)); got != tt.want {
				t.Errorf("%s, in pieces of %d: %v", name, buffer, got)
			}
		}
	}
}
