package validate

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belay/internal/workspace/document"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/register"
)

// rewrite reads a file as the program does and writes what was read.
type rewrite func(data []byte) []byte

// lines looks at a file in every way before it is written.
func lines(data []byte) []byte {
	d := document.Parse(data)
	d.Sections()
	d.Tables(0, d.Len())
	d.Fields(0, d.Len())
	return d.Bytes()
}

// formats are the files that the specification knows, by name.
var formats = map[string]rewrite{
	layout.StatusFile: func(data []byte) []byte {
		s := lifecycle.Parse(data)
		s.Check(layout.StatusFile)
		return s.Bytes()
	},
	layout.DependenciesFile: func(data []byte) []byte {
		s := register.ParseSummary(data)
		s.Check(layout.DependenciesFile, "DEL-01-01", register.Parse(nil))
		return s.Bytes()
	},
	layout.RegisterFile: func(data []byte) []byte {
		r := register.Parse(data)
		r.Lint(layout.RegisterFile, "DEL-01-01")
		r.View()
		return r.Bytes()
	},
	layout.ContextFile:    lines,
	layout.ReferencesFile: lines,
	layout.MemoryFile:     lines,
	layout.SemanticFile:   lines,
	layout.LensingFile:    lines,
	layout.InitFile:       lines,
	layout.LatestFile:     lines,
	"_COORDINATION.md":    lines,
	"Datasheet.md":        lines,
	"Specification.md":    lines,
	"Guidance.md":         lines,
	"Procedure.md":        lines,
}

// mutations are what editors and systems make of a file.
var mutations = map[string]func(data []byte) []byte{
	"as it is":       func(data []byte) []byte { return data },
	"CRLF":           func(data []byte) []byte { return bytes.ReplaceAll(unix(data), []byte("\n"), []byte("\r\n")) },
	"CR":             func(data []byte) []byte { return bytes.ReplaceAll(unix(data), []byte("\n"), []byte("\r")) },
	"BOM":            func(data []byte) []byte { return append([]byte("\ufeff"), data...) },
	"no last end":    func(data []byte) []byte { return bytes.TrimRight(data, "\r\n") },
	"blank at end":   func(data []byte) []byte { return append(slices.Clone(data), "\n \n\t\n"...) },
	"truncated":      func(data []byte) []byte { return data[:len(data)*2/3] },
	"not UTF-8":      func(data []byte) []byte { return append(slices.Clone(data), 0xff, 0xfe, '\n') },
	"NUL":            func(data []byte) []byte { return append(slices.Clone(data), 0, '\n') },
	"an open quote":  func(data []byte) []byte { return append(slices.Clone(data), "\"\n```\n"...) },
	"mixed line end": mixed,
}

func unix(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }

// mixed gives each line the next of three ends.
func mixed(data []byte) []byte {
	var out []byte
	for i, l := range bytes.SplitAfter(unix(data), []byte("\n")) {
		if end, ok := bytes.CutSuffix(l, []byte("\n")); ok {
			l = append(slices.Clone(end), []string{"\n", "\r\n", "\r"}[i%3]...)
		}
		out = append(out, l...)
	}
	return out
}

// Every file of the example and of the real projects, and what editors would make of
// it, is written as it was read.
// Covers: workspace 3.1, 4.1, 5.2, 6.2, 7.1, 8.1, 11.2, 13
func TestBytes(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(layout.Minimum, layout.DocumentKit, []string{
		layout.RegisterFile, layout.MemoryFile, layout.LensingFile, layout.InitFile, layout.LatestFile, filepath.Base(layout.CoordinationFile)}) {
		if formats[name] == nil {
			t.Errorf("%s is not covered", name)
		}
	}
	seen := map[string]int{}
	rewriteAll(t, filepath.Join("..", "..", "..", "examples", "project"), seen)
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("the example alone was looked at: BELAY_CORPUS is not set")
	}
	rewriteAll(t, corpora, seen)
	for name := range formats {
		if seen[name] == 0 {
			t.Errorf("no real project has a %s", name)
		}
	}
}

// rewriteAll writes what it read of every file below a folder, and counts the files
// by their names.
func rewriteAll(t *testing.T, root string, seen map[string]int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen[e.Name()]++
		write, known := formats[e.Name()]
		if !known {
			write = lines
		}
		for mutation, of := range mutations {
			if mutation != "as it is" && !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".csv") {
				continue
			}
			if read := of(data); !bytes.Equal(write(read), read) {
				t.Errorf("%s, %s: it is not what it was", strings.TrimPrefix(path, root), mutation)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
