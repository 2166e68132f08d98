package authored

import "strings"

// Hints are those that were shown already, for lists of problems: a mistake is often
// made again and again, and one hint is enough.
type Hints map[string]bool

// Show reports whether a hint is to be shown, and notes it. What may have been meant is
// shown with each problem.
func (h Hints) Show(hint string) bool {
	shown := h[hint]
	h[hint] = true
	return hint != "" && (!shown || strings.HasPrefix(hint, "did you mean"))
}
