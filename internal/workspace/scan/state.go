package scan

import (
	"strings"

	"belay/internal/workspace/document"
)

// maxStatus is how much of a _STATUS.md is looked at for the state, in bytes.
const maxStatus = 1 << 20

// stateIn reads the state out of a _STATUS.md: in lower case as listings have it,
// or [Unknown] and what the file says instead.
func stateIn(text []byte) (status, recorded string) {
	f, ok := document.Find(text, "Current State")
	if !ok {
		return Unknown, ""
	}
	value := strings.TrimSpace(strings.Trim(f.Value, "`*"))
	switch strings.ToUpper(value) {
	case "OPEN":
		return "open", ""
	case "INITIALIZED":
		return "initialized", ""
	case "SEMANTIC_READY":
		return "semantic_ready", ""
	case "IN_PROGRESS":
		return "in_progress", ""
	case "CHECKING":
		return "checking", ""
	case "ISSUED":
		return "issued", ""
	}
	return Unknown, value
}

// States lists the states that listings have, in the order of a deliverable's
// life, [Unknown] last.
func States() []string {
	return []string{"open", "initialized", "semantic_ready", "in_progress", "checking", "issued", Unknown}
}
