package validate

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/scan"
)

// FuzzDocuments holds any text against each kind of file: what is found is in
// the file, can be printed, has a next step, and does not depend on line endings
// or a byte order mark.
func FuzzDocuments(f *testing.F) {
	files := sound()
	for _, name := range []string{"INIT.md", "_Coordination/_COORDINATION.md", "_Estimates/_LATEST.md", del + "_CONTEXT.md", del + "_REFERENCES.md", del + "MEMORY.md"} {
		f.Add([]byte(files[name]))
	}
	f.Add([]byte("# Context\n**Package:** PKG-001 -- x\n- **Deliverable ID:** DEL-09-09\n[a](../x) `_Decomposition/y.md`\nLatest: a/b\n**Updated:** 2026"))
	root := write(f, files)
	r, err := scan.Scan(f.Context(), root, scan.Options{Visited: true})
	if err != nil {
		f.Fatal(err)
	}
	top, err := dir.Open(root)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(top.Close)
	p := &project{Result: r, root: root, top: top, o: Options{}.orDefault(), places: newPlaces(top)}
	if err := p.readDecompositions(f.Context()); err != nil {
		f.Fatal(err)
	}
	p.published()
	check := func(data []byte) []finding.Finding {
		w := &worker{project: p, folder: r.Deliverables[0]}
		t, ok := w.text(data, "file.md", w.folder.ID)
		if !ok {
			return w.found
		}
		t.checkContext()
		t.checkReferences()
		t.checkMemory()
		t.checkInit()
		t.checkCoordination()
		t.checkPointer("_Estimates")
		return w.found
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.ReplaceAll(data, []byte("\r"), nil)
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		found := check(data)
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, x := range found {
			if x.Line < 0 || x.Line > lines || x.Fix == "" || x.Message == "" {
				t.Errorf("%+v of %d lines", x, lines)
			}
			for _, s := range []string{x.Message, x.Fix, x.Value} {
				if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
					t.Errorf("%+v cannot be printed", x)
				}
			}
		}
		for _, other := range [][]byte{bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), append([]byte("\ufeff"), data...)} {
			if again := check(other); !slices.Equal(found, again) {
				t.Errorf("%q: %+v, with other line endings or a mark %+v", data, found, again)
			}
		}
	})
}
