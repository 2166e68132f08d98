package fault

import (
	"fmt"
	"strings"
)

// List names the first of names and says how many more there are: they come from a
// caller and go on record.
func List(names []string) string {
	const most, bytes = 20, 200
	var b strings.Builder
	for i, name := range names[:min(len(names), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.ToValidUTF8(name[:min(len(name), bytes)], ""))
	}
	if more := len(names) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
