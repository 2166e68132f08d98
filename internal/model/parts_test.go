package model_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A kind of part that a provider or the measure does not know would be lost or
// fail a request: each names them all.
func TestEveryPartIsKnown(t *testing.T) {
	t.Parallel()
	declared, err := os.ReadFile("../attachment/item.go")
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?m)^func \((\w+)\) part\(\)`).FindAllStringSubmatch(string(declared), -1)
	if len(parts) < 6 {
		t.Fatalf("found %d kinds of parts", len(parts))
	}
	for _, room := range []string{"measure.go", "anthropic/*.go", "openai/*.go", "scripted/*.go"} {
		files, err := filepath.Glob(room)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", room, err)
		}
		var code strings.Builder
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(data)
		}
		for _, p := range parts {
			if !strings.Contains(code.String(), "attachment."+p[1]) {
				t.Errorf("%s does not know attachment.%s", room, p[1])
			}
		}
	}
}
