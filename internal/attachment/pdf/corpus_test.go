package pdf_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"belay/internal/attachment/pdf"
)

// On real files the two readers agree: the same pages, and where the light
// reader's text convinces, nearly the same words.
func TestReadersAgreeOnCorpus(t *testing.T) {
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
		thorough, err := e.Text(ctx, data, pdf.Extent{Bytes: 8 << 20})
		if err != nil {
			t.Errorf("%s: engine: %v", path, err)
			return nil
		}
		f, err := pdf.Open(ctx, bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Logf("%s: left to the engine: %v", path, err)
			return nil
		}
		if n, err := f.Pages(ctx); err != nil || n != thorough.Pages {
			t.Errorf("%s: %d pages (%v), the engine has %d", path, n, err, thorough.Pages)
		}
		x, err := f.Text(ctx, pdf.Extent{Bytes: 8 << 20})
		if err != nil || !pdf.Convincing(x.Text, x.Pages) {
			t.Logf("%s: text left to the engine: %v", path, err)
			return nil
		}
		if share := sharedWords(thorough.Text, x.Text); share < 0.95 {
			t.Errorf("%s: only %.2f of the engine's words", path, share)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// sharedWords is the share of a's different words that b has too.
func sharedWords(a, b string) float64 {
	has := map[string]bool{}
	for _, w := range words(b) {
		has[w] = true
	}
	all, shared := map[string]bool{}, 0
	for _, w := range words(a) {
		if !all[w] && has[w] {
			shared++
		}
		all[w] = true
	}
	return float64(shared) / float64(max(len(all), 1))
}
