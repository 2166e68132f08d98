package pdf_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"belay/internal/attachment/pdf"
)

// On real files the page counter agrees with the engine, which reads all of their text.
func TestCorpus(t *testing.T) {
	root := os.Getenv("BELAY_CORPUS")
	if root == "" {
		t.Skip("BELAY_CORPUS is not set: real PDFs were not read")
	}
	e := pdf.NewEngine(pdf.EngineOptions{Time: time.Hour}) // agreement is tested, not speed
	defer e.Close()
	ctx := context.Background()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".pdf" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		x, err := e.Text(ctx, data, pdf.Extent{Bytes: 8 << 20})
		if err != nil {
			t.Errorf("%s: engine: %v", path, err)
			return nil
		}
		n, err := count(data)
		switch {
		case errors.Is(err, pdf.ErrUnsupported), errors.Is(err, pdf.ErrEncrypted):
			t.Logf("%s: left to the engine: %v", path, err)
		case err != nil || n != x.Pages:
			t.Errorf("%s: %d pages (%v), the engine has %d", path, n, err, x.Pages)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
