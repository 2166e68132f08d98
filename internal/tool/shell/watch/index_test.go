package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// An index says at any time what was noted last, however often it was written
// anew.
func TestIndexSaysWhatIsHeld(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		x, err := newIndex(filepath.Join(dir, "index"))
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = x.close() }()
		held := map[string]*holding{}
		for range rapid.IntRange(1, 6).Draw(rt, "commands") {
			for range rapid.IntRange(0, 4).Draw(rt, "folders") {
				name := rapid.StringMatching(`[a-c]/[a-c]`).Draw(rt, "folder")
				if rapid.Bool().Draw(rt, "removed") {
					delete(held, name)
				} else {
					held[name] = drawHolding(rt)
				}
			}
			if rapid.IntRange(0, 3).Draw(rt, "restarts") == 0 {
				if err := x.restart(); err != nil {
					rt.Fatal(err)
				}
			}
			if err := x.note(held); err != nil {
				rt.Fatal(err)
			}
			got, err := readIndex(x.f.Name(), x.size, x.sum)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(plainly(held), plainly(got)); diff != "" {
				rt.Fatal(diff)
			}
			if _, err := readIndex(x.f.Name(), x.size, x.sum+1); err == nil {
				rt.Fatal("a wrong checksum is right")
			}
		}
	})
}

func drawHolding(rt *rapid.T) *holding {
	h := &holding{folder: &folder{}}
	for i := range rapid.IntRange(0, 4).Draw(rt, "files") {
		h.folder.names = append(h.folder.names, fmt.Sprintf("%d%s", i, rapid.String().Draw(rt, "name")))
		h.folder.entries = append(h.folder.entries, entry{
			mode: os.FileMode(rapid.Uint32().Draw(rt, "mode")), size: rapid.Int64().Draw(rt, "size"),
			mtime: rapid.Int64().Draw(rt, "mtime"), ctime: rapid.Int64().Draw(rt, "ctime"),
			device: rapid.Uint64().Draw(rt, "device"), number: rapid.Uint64().Draw(rt, "number"), target: rapid.String().Draw(rt, "target"),
		})
		h.at = append(h.at, rapid.Int64Min(-1).Draw(rt, "at"))
	}
	return h
}

// plainly is what is held in a form that can be compared.
func plainly(held map[string]*holding) map[string][]string {
	all := map[string][]string{}
	for dir, h := range held {
		lines := []string{}
		for i, e := range h.folder.entries {
			lines = append(lines, fmt.Sprintf("%q %+v %d", h.folder.names[i], e, h.at[i]))
		}
		all[dir] = lines
	}
	return all
}

// Whatever an index holds, it is read or refused, within the memory that it has.
func FuzzParseIndex(f *testing.F) {
	h := &holding{folder: &folder{names: []string{"a"}, entries: []entry{{mode: 0o644, size: 1}}}, at: []int64{0}}
	f.Add(h.append(nil, "dir"))
	f.Add([]byte{1, 'd', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		held, err := parseIndex(data)
		for dir, h := range held {
			if err == nil && (len(h.at) != len(h.folder.names) || len(h.at) != len(h.folder.entries) || len(h.at) > len(data)) {
				t.Errorf("%q: %d places, %d names, %d entries of %d bytes", dir, len(h.at), len(h.folder.names), len(h.folder.entries), len(data))
			}
		}
	})
}
