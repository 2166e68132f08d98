package files

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Covers: turn-api REQ-04
func TestGrep(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("a.go", "package a\n\nfunc One() {}\nfunc Two() {}\n// end\n")
	x.put("b/c.go", "package c\r\n\r\nfunc three() {} // Kelvin: \u212aILO\r\n")
	x.put("b/notes.md", "no function here\n")
	x.put("z.txt", "1\n2\n3 x\n4\n5 x\n6\n7\n8\n9\n10 x")
	x.put("bin", "func\x00")
	x.put("wide.txt", "\xff\xfef\x00u\x00n\x00c\x00\n\x00")
	x.put(".hidden/h.go", "func hidden() {}\n")
	x.put(".belay/s.go", "func secret() {}\n")
	x.put(".git/x.go", "func git() {}\n")
	x.put("long.txt", strings.Repeat("a", 5000)+"needle"+strings.Repeat("b", 5000)+"\n")
	x.put("latin.txt", "caf\xe9 olé\n")
	x.link("a.go", "link.go")
	x.link("b", "linked")
	tests := []struct {
		name  string
		input in
		want  string
	}{
		{"an expression", in{"pattern": `^func [A-Z]\w+`}, "a.go\n3:func One() {}\n4:func Two() {}\n"},
		{"a literal", in{"pattern": "One() {", "literal": true}, "a.go\n3:func One() {}\n"},
		{"no case", in{"pattern": "kilo", "ignore_case": true}, "b/c.go\n3:func three() {} // Kelvin: \u212aILO\n"},
		{"a line's end", in{"pattern": `LO$`}, "b/c.go\n3:func three() {} // Kelvin: \u212aILO\n"},
		{"empty lines", in{"pattern": `^$`, "glob": "*.go"}, "a.go\n2:\n\nb/c.go\n2:\n"},
		{"files", in{"pattern": "func", "output": "files"}, "a.go\nb/c.go\nb/notes.md\nwide.txt\n"},
		{"counts", in{"pattern": "func", "output": "counts", "glob": "*.go"}, "a.go: 2\nb/c.go: 1\n"},
		{"a glob with a folder", in{"pattern": "func", "output": "files", "glob": "b/**"}, "b/c.go\nb/notes.md\n"},
		{"in a folder", in{"pattern": "func", "path": "b", "output": "files"}, "b/c.go\nb/notes.md\n"},
		{"in a file", in{"pattern": "func T", "path": "a.go"}, "a.go\n4:func Two() {}\n"},
		{"through a link that is named", in{"pattern": "func T", "path": "link.go"}, "a.go\n4:func Two() {}\n"},
		{"hidden", in{"pattern": "hidden", "hidden": true}, ".hidden/h.go\n1:func hidden() {}\n"},
		{"context", in{"pattern": "x$", "path": "z.txt", "context": 1},
			"z.txt\n2-2\n3:3 x\n4-4\n5:5 x\n6-6\n--\n9-9\n10:10 x\n"},
		{"not UTF-8", in{"pattern": "olé"}, "latin.txt\n1:caf\uFFFD olé\n"},
		{"nothing", in{"pattern": "secret|git\\("}, "no line matches\n"},
	}
	for _, tt := range tests {
		if got := x.ok("grep", tt.input); got.Text != tt.want || got.Truncated {
			t.Errorf("%s: %q, want %q", tt.name, got.Text, tt.want)
		}
	}
	if got := x.ok("grep", in{"pattern": "needle"}).Text; !strings.Contains(got, "aneedleb") || len(got) > 600 {
		t.Errorf("a long line is shown as %d bytes: %.80q", len(got), got)
	}
	for what, tt := range map[string]struct {
		input in
		words string
	}{
		"no expression":    {in{"pattern": "("}, "missing closing"},
		"a look-ahead":     {in{"pattern": "(?=a)"}, "RE2"},
		"two lines":        {in{"pattern": "a\nb"}, "within one line"},
		"a bad glob":       {in{"pattern": "a", "glob": "["}, "not a pattern"},
		"a glob that runs": {in{"pattern": "a", "glob": strings.Repeat("{a,b}", 20)}, "more than 8"},
		"a hidden folder":  {in{"pattern": "a", "path": ".belay"}, "not open to agents"},
		"no folder":        {in{"pattern": "a", "path": "nope"}, "does not exist"},
		"a binary file":    {in{"pattern": "a", "path": "bin"}, "binary"},
	} {
		_, err := x.call("grep", tt.input)
		refused(t, what, err, tt.words)
	}
}

// What is told is the first of what there is, in the order of the paths, however
// the goroutines ran.
func TestResultsAreCappedInOrder(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	for i := range 40 {
		for j := range 10 {
			x.put(fmt.Sprintf("d%02d/e/f%d.txt", i, j), "x\nx\n")
		}
		x.put(fmt.Sprintf("f%02d.txt", i), "x\n")
	}
	x.w.Limits.Matches = 25
	for _, tt := range []struct {
		tool  string
		input in
		last  string
	}{
		{"grep", in{"pattern": "x"}, "\nd01/e/f2.txt\n1:x\n[the first 25; there are more"},
		{"grep", in{"pattern": "x", "output": "files"}, "d02/e/f4.txt\n[the first 25; there are more"},
		{"grep", in{"pattern": "x", "output": "counts"}, "d02/e/f4.txt: 2\n[the first 25; there are more"},
		{"glob", in{"pattern": "**/*.txt"}, "d02/e/f4.txt\n[the first 25; there are more"},
	} {
		for range 20 {
			if got := x.ok(tt.tool, tt.input); !got.Truncated || !strings.Contains(got.Text, tt.last) {
				t.Fatalf("%s %v: %q, want %q", tt.tool, tt.input, got.Text, tt.last)
			}
		}
	}
}

func TestAWalkStopsWithItsContext(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("a", "x")
	c, err := x.prepare("grep", in{"pattern": "x"})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Run(ctx); err != context.Canceled {
		t.Errorf("a cancelled search: %v", err)
	}
}

// A line's end is no part of it, also where it has two characters.
func TestLineEndsAreNotFound(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	x.put("f", "a\r\na\rb\r\nba\r")
	if got := x.ok("grep", in{"pattern": `a\r`, "output": "counts"}).Text; got != "f: 1\n" {
		t.Errorf("told %q", got)
	}
}

// slowly is grep as simple as it can be.
func slowly(data []byte, re *regexp.Regexp) (numbers []int) {
	for i, line := range splitBytes(data) {
		if re.Match(bytes.TrimSuffix(line, []byte{'\r'})) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

func splitBytes(data []byte) [][]byte {
	lines := bytes.Split(data, []byte{'\n'})
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Every way of looking for candidates finds the lines that the expression alone
// finds, with any size of the buffer and any context.
func TestSearchFindsWhatTheExpressionFinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := openRoot(t, dir)
	patterns := []string{
		"a", "ab", "foo|bar", "(?i)foo", "(?i)task", "(foo|ba)r?", `\d{2}-\d`, `[a-c]+d`, `^a`, `b$`, `^$`, `^\s*b`, `\bfoo\b`, "é", "(?i)é", "[é-ü]b",
		"a.b", "(?s)a.b", `\Aa`, `b\z`, "a*", "(?:fo){2}", `\W`, `[^a]b`, `(ab|c)+x`, `x{0}a`, `a\r`, "(?i:K)b", `\x{10000}`, "[ab]", "b.*a",
	}
	rapid.Check(t, func(rt *rapid.T) {
		pattern := rapid.SampledFrom(patterns).Draw(rt, "pattern")
		data := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "b", "c", "d", "x", "\n", "\n", "\n", "\r\n", "foo", "FOO", "bar", "12-3", " ", "é", "É", "ü", "\xe9", "\u212a", "\u017f", "ta", "k", "\U00010000",
		}), 0, 60).Draw(rt, "data"), ""))
		around := rapid.IntRange(0, 3).Draw(rt, "context")
		must(t, os.WriteFile(filepath.Join(dir, "f"), data, 0o600))
		m, err := newMatcher(pattern, false, false)
		must(t, err)
		h, err := newHandle(mustRoot(t, root))
		must(t, err)
		defer h.release()
		s := &searcher{ctx: t.Context(), m: m.clone(), limit: rapid.SampledFrom([]int{maxBuffer, 200, 150}).Draw(rt, "limit"), context: around, keep: 1000}
		got := s.file(h, "f")
		want := slowly(data, regexp.MustCompile(pattern))
		var numbers []int
		lines := splitBytes(data)
		last := 0
		for _, l := range got.lines {
			if l.number <= last || l.number > len(lines) || l.text != window(bytes.TrimSuffix(lines[l.number-1], []byte{'\r'}), 0, 0) {
				rt.Fatalf("%q in %q: line %d is told as %q", pattern, data, l.number, l.text)
			}
			last = l.number
			if l.match {
				numbers = append(numbers, l.number)
			}
		}
		if fmt.Sprint(numbers) != fmt.Sprint(want) || got.count != len(want) {
			rt.Fatalf("%q in %q: lines %v (%d), want %v", pattern, data, numbers, got.count, want)
		}
	})
}

func mustRoot(t *testing.T, root *os.Root) *os.Root {
	t.Helper()
	again, err := root.OpenRoot(".")
	must(t, err)
	return again
}

func TestSearchOfLargeFiles(t *testing.T) {
	t.Parallel()
	x := newWorld(t)
	line := strings.Repeat("filler ", 20) + "\n"
	x.put("large.log", strings.Repeat(line, 70_000)+"the needle\n"+strings.Repeat(line, 70_000)+"another needle")
	got := x.ok("grep", in{"pattern": "needle$", "context": 1})
	for _, want := range []string{"70000-filler", "\n70001:the needle\n70002-filler", "\n--\n140001-filler", "\n140002:another needle\n"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%q is not in %q", want, got.Text)
		}
	}
}
