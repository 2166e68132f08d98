package files

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A diff is that of the whole texts, though their ends are not compared line by line:
// applied to the text before, it makes the text after.
func TestDiffsApply(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	text := func(kinds int) []string {
		lines := make([]string, r.IntN(20))
		for i := range lines {
			lines[i] = fmt.Sprintf("line %d\n", r.IntN(kinds))
		}
		return lines
	}
	for range 5000 {
		kinds := []int{1, 2, 1000}[r.IntN(3)]
		was := text(kinds)
		at := r.IntN(len(was) + 1)
		to := at + r.IntN(len(was)-at+1)
		is := slices.Concat(was[:at], text(kinds), was[to:])
		for _, end := range []string{"", "\n"} {
			a, b := strings.TrimSuffix(strings.Join(was, ""), end), strings.TrimSuffix(strings.Join(is, ""), end)
			if a == "" || b == "" {
				continue
			}
			diff := unified("f", []byte(a), []byte(b))
			if got := patched(t, a, diff); got != b {
				t.Fatalf("%q with\n%s\nis %q, want %q", a, diff, got, b)
			}
		}
	}
}

// patched applies a unified diff.
func patched(t *testing.T, text, diff string) string {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	var out []string
	at := 0
	added := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case line[0] == '@':
			var was, n, is, m int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &was, &n, &is, &m); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			out = append(out, lines[at:was-1]...)
			at = was - 1
			if is != len(out)+1 {
				t.Fatalf("%q is at line %d", line, len(out)+1)
			}
		case line[0] == '\\':
			if added {
				out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "\n")
			}
		case line[0] == '+':
			out = append(out, line[1:])
		case strings.TrimSuffix(lines[at], "\n") != strings.TrimSuffix(line[1:], "\n"):
			t.Fatalf("%q is not %q", line, lines[at])
		default:
			if line[0] == ' ' {
				out = append(out, lines[at])
			}
			at++
		}
		added = line[0] == '+'
	}
	return strings.Join(append(out, lines[at:]...), "")
}
