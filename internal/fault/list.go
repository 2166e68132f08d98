package fault

import (
	"fmt"
	"strings"
)

// maxClipped is how many bytes of a caller's text an error repeats.
const maxClipped = 200

// Clip makes a text of a caller's fit to be repeated in an error, which goes on record: it
// is short, and UTF-8.
func Clip(s string) string {
	if len(s) <= maxClipped {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:maxClipped], "") + "…"
}

// List names the first of names and says how many more there are: they come from a
// caller and go on record.
func List(names []string) string {
	const most = 20
	var b strings.Builder
	for i, name := range names[:min(len(names), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.ToValidUTF8(name[:min(len(name), maxClipped)], ""))
	}
	if more := len(names) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
