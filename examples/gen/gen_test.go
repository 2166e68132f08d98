package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The committed files are what this source makes. Pictures are compared pixel by
// pixel: how well they are compressed is the Go release's business.
func TestFilesAreCurrent(t *testing.T) {
	t.Parallel()
	all, err := files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range all {
		got := read(t, filepath.Join("..", filepath.FromSlash(name)))
		same := bytes.Equal(want, got)
		if filepath.Ext(name) == ".png" {
			same = cmp.Equal(pixels(t, want), pixels(t, got))
		}
		if !same {
			t.Errorf("%s is not what its source makes; run: make gen", name)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func pixels(t *testing.T, data []byte) []uint8 {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	paletted, ok := img.(*image.Paletted)
	if !ok {
		t.Fatalf("the plan is a %T, want a palette", img)
	}
	return paletted.Pix
}
