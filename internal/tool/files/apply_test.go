package files

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"belay/internal/fault"
	"belay/internal/journal"
)

func TestApply(t *testing.T) {
	t.Parallel()
	one := func(old, new string) []replacement { return []replacement{{Old: old, New: new}} }
	tests := []struct {
		name, text string
		edits      []replacement
		want       string
		words      string // of the refusal
	}{
		{"once", "a b c", one("b", "x"), "a x c", ""},
		{"removed", "a b c", one(" b", ""), "a c", ""},
		{"in order", "a", []replacement{{Old: "a", New: "b"}, {Old: "b", New: "c"}}, "c", ""},
		{"all", "a a a", []replacement{{Old: "a", New: "aa", All: true}}, "aa aa aa", ""},
		{"all or nothing", "a b", []replacement{{Old: "a", New: "x"}, {Old: "z", New: "y"}}, "", "edit 2 of 2: the old text is not there"},
		{"twice", "a\nb\na\n", one("a", "x"), "", "there twice, at lines 1, 3"},
		{"overlapping", "aaa", one("aa", "x"), "", "there twice, at lines 1, 1"},
		{"often", strings.Repeat("a\n", 30), one("a", "x"), "", "30 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more"},
		{"not there", "func main() {\n\treturn\n}\n", one("func mian() {", "x"), "", `line 1: "func main() {"`},
		{"other spaces", "if a {\n\t\tb()\n\t}\n", one("if a {\n  b()\n}", "x"), "", "line 1 is the same but for spaces"},
		{"nothing like it", "a\nb\n", one("entirely different", "x"), "", "no line is like it"},
		{"the same", "a", one("a", "a"), "", "are the same"},
		{"the same but for ends", "a\r\n", one("a\n", "a\r\n"), "", "are the same"},
		{"unix text in a dos file", "a\r\nb\r\nc\r\n", one("a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n", ""},
		{"dos text in a unix file", "a\nb\n", one("a\r\nb", "x\r\ny"), "x\ny\n", ""},
		{"line ends themselves", "a\r\nb\r\n", one("\n", " "), "", "twice"},
		{"a line end", "a\r\nb\r\n", one("a\n", "a "), "a b\r\n", ""},
		{"text before a line end", "a\r\nb\r\n", one("a", "x"), "x\r\nb\r\n", ""},
		{"mixed ends stay", "a\r\nb\nc\r\n", one("b", "x\ny"), "a\r\nx\r\ny\nc\r\n", ""},
		{"a lone return is text", "a\rb\n", one("a\rb", "c"), "c\n", ""},
		{"too large", "aaaa", []replacement{{Old: "a", New: strings.Repeat("x", 50), All: true}}, "", "more than 100 bytes"},
	}
	for _, tt := range tests {
		got, err := apply(tt.text, tt.edits, 100)
		if tt.words != "" {
			if err == nil || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("%s: %q, %v; want an error that says %q", tt.name, got, err, tt.words)
			}
		} else if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

// reference is what apply must do, for text with line ends of one kind.
func reference(text string, edits []replacement) (string, bool) {
	for _, e := range edits {
		if e.Old == e.New || !strings.Contains(text, e.Old) {
			return "", false
		}
		first := strings.Index(text, e.Old)
		if again := strings.Contains(text[first+1:], e.Old); again && !e.All {
			return "", false
		}
		text = strings.ReplaceAll(text, e.Old, e.New)
	}
	return text, true
}

func dos(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// The result is that of the reference, in files of both kinds, whichever line ends
// the edits have.
func FuzzApply(f *testing.F) {
	f.Add("a\nb\nc", "b", "x\ny", "x", "", false)
	f.Add("aaa\n\n", "aa", "b", "\n", "-", true)
	f.Fuzz(func(t *testing.T, text, old1, new1, old2, new2 string, all bool) {
		for _, s := range []string{text, old1, new1, old2, new2} {
			if strings.Contains(s, "\r") {
				return
			}
		}
		if old1 == "" || old2 == "" || len(text)+len(new1)+len(new2) > 10_000 {
			return
		}
		edits := []replacement{{Old: old1, New: new1, All: all}, {Old: old2, New: new2, All: all}}
		want, ok := reference(text, edits)
		if len(want) > 1<<20 {
			return
		}
		got, err := apply(text, edits, 4<<20)
		if (err == nil) != ok || got != want {
			t.Fatalf("apply(%q, %+v) = %q, %v; want %q, %v", text, edits, got, err, want, ok)
		}
		if !strings.Contains(text, "\n") {
			return // the file does not say which line ends it has
		}
		got, err = apply(dos(text), edits, 4<<20)
		if (err == nil) != ok || ok && got != dos(want) {
			t.Fatalf("in a dos file: apply(%q, %+v) = %q, %v; want %q, %v", dos(text), edits, got, err, dos(want), ok)
		}
		for i := range edits {
			edits[i].Old, edits[i].New = dos(edits[i].Old), dos(edits[i].New)
		}
		if got, err = apply(text, edits, 4<<20); (err == nil) != ok || got != want {
			t.Fatalf("edits from a dos editor: apply(%q, %+v) = %q, %v; want %q, %v", text, edits, got, err, want, ok)
		}
	})
}

// What an edit does not touch keeps its bytes, whatever its line ends are.
func TestApplyKeepsTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.StringMatching(`[ab\r\n]{0,8}`)
		before, after := piece.Draw(t, "before"), piece.Draw(t, "after")
		got, err := apply(before+"X"+after, []replacement{{Old: "X", New: "Y"}}, 1000)
		if err != nil || got != before+"Y"+after {
			t.Fatalf("%q, %v", got, err)
		}
	})
}

// Text comes back as the bytes that it was.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a\n", "\xef\xbb\xbfa", "\xff\xfea\x00", "\xfe\xff\x00a", "\xff\xfe\x3d\xd8\x00\xde", "a\x00", "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, e, err := decodeText(data)
		if err != nil {
			return
		}
		if got := encodeText(text, e); string(got) != string(data) {
			t.Fatalf("%q became %q", data, got)
		}
		if strings.ContainsRune(text, 0) {
			t.Fatalf("%q has a zero", text)
		}
	})
}

// A change that failed and could not be taken back says so, with what to do.
func TestUnsettledChangeIsTold(t *testing.T) {
	t.Parallel()
	disk := errors.New("no space left on device")
	f := fault.From(Unsettled(errors.Join(disk, fmt.Errorf("%w: %w", journal.ErrUnsettled, disk))))
	if f.Type != fault.StorageFailure || !strings.Contains(f.Message, "could not be put back") || !strings.Contains(f.NextStep(), "free disk space") || !errors.Is(f, disk) {
		t.Errorf("the failure is %v (%s)", f, f.NextStep())
	}
	if err := Unsettled(disk); err != nil {
		t.Errorf("another failure is %v", err)
	}
}
