package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that the threat model names is there.
func TestThreatModelNamesTests(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	must(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		code.Write(data)
		return err
	}))
	page, err := os.ReadFile("../docs/threat-model.md")
	must(t, err)
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+|[\\w-]+\\.txtar|test/\\w+|internal/\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 30 {
		t.Fatalf("the page names %d tests", len(named))
	}
	for _, m := range named {
		there := strings.Contains(code.String(), "func "+m[1]+"(")
		switch {
		case strings.HasSuffix(m[1], ".txtar"):
			_, err := os.Stat("../internal/cli/testdata/" + m[1])
			there = err == nil
		case strings.Contains(m[1], "/"):
			_, err := os.Stat("../" + m[1])
			there = err == nil
		}
		if !there {
			t.Errorf("there is no %s", m[1])
		}
	}
}
