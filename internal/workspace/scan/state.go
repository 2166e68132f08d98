package scan

import (
	"strings"

	"belay/internal/workspace/lifecycle"
)

// maxStatus is how much of a _STATUS.md is looked at for the state, in bytes.
const maxStatus = 1 << 20

// stateIn reads the state out of a _STATUS.md: in lower case as listings have it,
// or [Unknown] and what the file says instead.
func stateIn(text []byte) (status, recorded string) {
	state := lifecycle.Quick(text)
	if !state.Known() {
		return Unknown, string(state)
	}
	return listed[state], ""
}

// listed are the states as listings have them.
var listed = func() map[lifecycle.State]string {
	m := map[lifecycle.State]string{}
	for _, s := range lifecycle.States() {
		m[s] = strings.ToLower(string(s))
	}
	return m
}()

// States lists the states that listings have, in the order of a deliverable's
// life, [Unknown] last.
func States() []string {
	var all []string
	for _, s := range lifecycle.States() {
		all = append(all, listed[s])
	}
	return append(all, Unknown)
}
