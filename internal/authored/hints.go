package authored

import "strings"

// Hints are those that were told already, for lists of problems: a mistake is often
// made again and again, and one hint is enough.
type Hints map[string]bool

// Tell reports whether a hint is to be told, and notes it. What may have been meant is
// told with each problem.
func (h Hints) Tell(hint string) bool {
	told := h[hint]
	h[hint] = true
	return hint != "" && (!told || strings.HasPrefix(hint, "did you mean"))
}
