package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The committed files are what this source draws. The plan is compared pixel by
// pixel: how well it is compressed is the Go release's business.
func TestFilesAreCurrent(t *testing.T) {
	t.Parallel()
	plan, err := SitePlan()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pixels(t, plan), pixels(t, read(t, "../project/drawings/site-plan.png"))); diff != "" {
		t.Error("drawings/site-plan.png is not what its source draws; run: make gen")
	}
	if !bytes.Equal(Brief(), read(t, "../project/documents/brief.pdf")) {
		t.Error("documents/brief.pdf is not what its source writes; run: make gen")
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
