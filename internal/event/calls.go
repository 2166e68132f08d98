package event

import (
	"fmt"
	"strings"
)

// Outcome is what became of a call that was not permitted.
type Outcome string

// The outcomes.
const (
	OutcomeRefused Outcome = "refused"
	OutcomeExpired Outcome = "expired"
	// OutcomeLeftOut is that of a call that changed files which it may not change: these
	// were left out.
	OutcomeLeftOut Outcome = "left_out"
)

// Calls counts what was not permitted in a turn, that of its delegated agents included:
// calls that were refused, calls about which nobody answered in time, and files that
// calls changed and that were left out.
type Calls struct {
	Refused int `json:"refused,omitempty"`
	Expired int `json:"expired,omitempty"`
	LeftOut int `json:"leftOut,omitempty"`
}

// Add counts a call with that outcome, and "" not at all. Files are those that were left
// out of what it changed.
func (c *Calls) Add(o Outcome, files int) {
	switch o {
	case OutcomeRefused:
		c.Refused++
	case OutcomeExpired:
		c.Expired++
	}
	c.LeftOut += files
}

// String says it in words, "" where there is nothing to count.
func (c *Calls) String() string {
	if c == nil {
		return ""
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.Refused, "refused"}, {c.Expired, "not answered in time"}} {
		noun := ""
		switch {
		case p.n == 0:
			continue
		case len(parts) > 0:
		case p.n == 1:
			noun = "call "
		default:
			noun = "calls "
		}
		parts = append(parts, fmt.Sprintf("%d %s%s", p.n, noun, p.what))
	}
	switch {
	case c.LeftOut == 1:
		parts = append(parts, "1 file left out")
	case c.LeftOut > 1:
		parts = append(parts, fmt.Sprintf("%d files left out", c.LeftOut))
	}
	return strings.Join(parts, ", ")
}

// Plus is the sum of both. Either may be nil; it is nil where there is nothing to
// count.
func (c *Calls) Plus(o *Calls) *Calls {
	var sum Calls
	for _, n := range []*Calls{c, o} {
		if n != nil {
			sum = Calls{sum.Refused + n.Refused, sum.Expired + n.Expired, sum.LeftOut + n.LeftOut}
		}
	}
	if sum == (Calls{}) {
		return nil
	}
	return &sum
}
