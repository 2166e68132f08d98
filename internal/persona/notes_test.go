package persona

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"belay/internal/durable"
)

func TestProjectNotes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		limit      int64
		text       string
		used       string // bytes that the source must name
		cut        bool
	}{
		{"whole", "hello\n", 100, "hello\n", "hello\n", false},
		{"exactly the limit", "hello\n", 6, "hello\n", "hello\n", false},
		{"cut after a line", "first\nsecond\nthird\n", 14, "first\nsecond\n", "first\nsecond\n", true},
		{"cut in a long line", strings.Repeat("x", 50), 10, "xxxxxxxxxx", "xxxxxxxxxx", true},
		{"cut between runes", "aééééé", 4, "aé", "aé", true},
		{"empty", "", 10, "", "", false},
		{"byte order mark", "\uFEFFhello", 100, "hello", "\uFEFFhello", false},
		{"not UTF-8", "a\xffb", 100, "a\uFFFDb", "a\xffb", false},
		{"nothing wanted", "hello", 0, "", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeOld(t, filepath.Join(dir, "AGENTS.md"), tt.file)
			text, src, ok, err := ProjectNotes(dir, tt.limit)
			if err != nil || !ok || text != tt.text {
				t.Fatalf("ProjectNotes = %q, %v, %v; want %q", text, ok, err, tt.text)
			}
			sum := sha256.Sum256([]byte(tt.used))
			want := Source{Path: filepath.Join(dir, "AGENTS.md"), SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(tt.used)), Cut: tt.cut}
			if src != want {
				t.Errorf("source = %+v, want %+v", src, want)
			}
		})
	}
}

func TestProjectNotesAbsentOrUnfit(t *testing.T) {
	t.Parallel()
	if text, _, ok, err := ProjectNotes(t.TempDir(), 10); ok || err != nil || text != "" {
		t.Errorf("no file: %q, %v, %v", text, ok, err)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "AGENTS.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := ProjectNotes(folder, 10); ok || !errors.Is(err, durable.ErrNotRegular) {
		t.Errorf("a folder: %v, %v", ok, err)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	writeOld(t, outside, "secret")
	linked := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(linked, "AGENTS.md")); err != nil {
		t.Skipf("skipped: this system does not let the test make links: %v", err)
	}
	if text, _, ok, err := ProjectNotes(linked, 10); ok || err == nil {
		t.Errorf("a link out of the project gave %q", text)
	}
	inside := t.TempDir()
	writeOld(t, filepath.Join(inside, "NOTES.md"), "mine")
	if err := os.Symlink("NOTES.md", filepath.Join(inside, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	if text, _, ok, err := ProjectNotes(inside, 10); !ok || err != nil || text != "mine" {
		t.Errorf("a link inside the project: %q, %v, %v", text, ok, err)
	}
}

// A cut is never longer than the limit, never splits a rune of valid text, and
// keeps at least half of what was allowed.
func TestCutAt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab\né世😀"))).Draw(t, "text")
		if text == "" {
			return
		}
		limit := rapid.IntRange(0, len(text)-1).Draw(t, "limit")
		n := cutAt([]byte(text), limit)
		if n > limit || !utf8.ValidString(text[:n]) || n < limit/2-utf8.UTFMax {
			t.Fatalf("cutAt(%q, %d) = %d", text, limit, n)
		}
	})
}

func TestProjectNotesThatLeadOut(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, notesFile)); err != nil {
		t.Skip(err)
	}
	if _, _, _, err := ProjectNotes(dir, 100); err == nil || err.Error() != "the project's AGENTS.md is a link that leads out of the project" {
		t.Errorf("got %v", err)
	}
}
