package cli

import (
	"bytes"
	"strings"
	"testing"
)

// A line that the terminal would break by itself could pass for two: one that is
// padded to the width, and one that nobody wrote.
func TestLongLinesOfAQuestionAreMarked(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	c := newConsole(strings.NewReader(""), &bytes.Buffer{}, &errs, []string{"COLUMNS=32", "NO_COLOR=1"})
	c.noteDiff("@@ -1 +1 @@\n-old\n+harmless"+strings.Repeat(" ", 32-noteCells-9)+"+forged, and 漢字漢字漢字\n+\ttab\n", 0, "")
	for l := range strings.SplitSeq(strings.TrimSuffix(errs.String(), "\n"), "\n") {
		if cells(l) > 32 {
			t.Errorf("too wide: %q", l)
		}
		if strings.HasPrefix(strings.TrimSpace(l), "+forged") {
			t.Errorf("a part passes for a line: %q", l)
		}
	}
}

// A patch is for programs, unless it is shown on a terminal.
func TestPatchOnATerminal(t *testing.T) {
	t.Parallel()
	for _, terminal := range []bool{false, true} {
		var out bytes.Buffer
		c := newConsole(strings.NewReader(""), &out, &bytes.Buffer{}, []string{"COLUMNS=32", "NO_COLOR=1"})
		c.outTerminal = terminal
		c.printPatch("+" + strings.Repeat("x", 40))
		if whole := strings.Count(out.String(), "\n") == 1; whole == terminal {
			t.Errorf("on a terminal %v: %q", terminal, out.String())
		}
	}
}

// What is not shown at once is counted as it would be, and the way to it is told.
func TestOneLongLineIsNotAllOfTheScreen(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	c := newConsole(strings.NewReader(""), &bytes.Buffer{}, &errs, []string{"COLUMNS=40", "NO_COLOR=1"})
	c.noteDiff("+"+strings.Repeat("x", 60_000), shortDiff, "belay decision show dec_1")
	lines := strings.Split(strings.TrimSuffix(errs.String(), "\n"), "\n")
	if len(lines) != shortDiff || !strings.HasSuffix(lines[shortDiff-1], "more lines: belay decision show dec_1]") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}
