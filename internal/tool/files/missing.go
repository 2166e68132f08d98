package files

import (
	"belay/internal/tool"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// missing says that a text is not there and where something like it is: models
// mostly have an indentation wrong, or an old version in mind.
func missing(text, old string) error {
	lines := splitLines(text)
	wanted := splitLines(strings.Trim(old, "\n"))
	if at := looseMatch(lines, wanted); at >= 0 {
		return fmt.Errorf("the old text is not there; line %d is the same but for spaces: %q", at+1, tool.Clip(lines[at], 200))
	}
	near := nearestLines(lines, longest(wanted))
	if len(near) == 0 {
		return fmt.Errorf("the old text is not there, and no line is like it")
	}
	var b strings.Builder
	for _, n := range near {
		fmt.Fprintf(&b, "; line %d: %q", n+1, tool.Clip(lines[n], 200))
	}
	return fmt.Errorf("the old text is not there; the nearest lines are these%s", b.String())
}

// looseMatch finds where wanted is in lines when spaces do not count, -1 if
// nowhere.
func looseMatch(lines, wanted []string) int {
	if len(wanted) == 0 {
		return -1
	}
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	want := make([]string, len(wanted))
	for i := range wanted {
		want[i] = bare(wanted[i])
	}
	if strings.Join(want, "") == "" {
		return -1
	}
	have := make([]string, len(lines))
	for i := range lines {
		have[i] = bare(lines[i])
	}
	for i := 0; i+len(want) <= len(have); i++ {
		if slices.Equal(have[i:i+len(want)], want) {
			return i
		}
	}
	return -1
}

// longest is the line that says most.
func longest(lines []string) string {
	best := ""
	for _, l := range lines {
		if l = strings.TrimSpace(l); len(l) > len(best) {
			best = l
		}
	}
	return best
}

const (
	maxCompared = 5000 // lines that are compared
	maxPairs    = 400  // pairs of characters of a line that count
	maxNear     = 3    // lines that are named
)

// nearestLines returns the lines most like want, best first: those that share
// more than half of their pairs of neighbouring characters.
func nearestLines(lines []string, want string) []int {
	type candidate struct {
		line  int
		score float64
	}
	var found []candidate
	wanted := pairs(want)
	for i, l := range lines[:min(len(lines), maxCompared)] {
		if score := alike(wanted, pairs(strings.TrimSpace(l))); score > 0.5 {
			found = append(found, candidate{i, score})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var near []int
	for _, c := range found[:min(len(found), maxNear)] {
		near = append(near, c.line)
	}
	return near
}

func pairs(s string) map[[2]byte]int {
	n := map[[2]byte]int{}
	for i := 0; i+1 < len(s) && i < maxPairs; i++ {
		n[[2]byte{s[i], s[i+1]}]++
	}
	return n
}

// alike is Dice's coefficient, from 0 to 1.
func alike(a, b map[[2]byte]int) float64 {
	shared, all := 0, 0
	for p, n := range a {
		shared += min(n, b[p])
		all += n
	}
	for _, n := range b {
		all += n
	}
	if all == 0 {
		return 0
	}
	return 2 * float64(shared) / float64(all)
}
