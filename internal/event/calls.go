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
	OutcomeUndone  Outcome = "undone"
)

// Calls counts the calls of a turn that were not permitted, by their outcome, those
// of its delegated agents included.
type Calls struct {
	Refused int `json:"refused,omitempty"`
	Expired int `json:"expired,omitempty"`
	Undone  int `json:"undone,omitempty"`
}

// Add counts a call with that outcome, and "" not at all.
func (c *Calls) Add(o Outcome) {
	switch o {
	case OutcomeRefused:
		c.Refused++
	case OutcomeExpired:
		c.Expired++
	case OutcomeUndone:
		c.Undone++
	}
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
	}{{c.Refused, "refused"}, {c.Expired, "not answered in time"}, {c.Undone, "undone"}} {
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
	return strings.Join(parts, ", ")
}

// Plus is the sum of both. Either may be nil; it is nil where there is nothing to
// count.
func (c *Calls) Plus(o *Calls) *Calls {
	var sum Calls
	for _, n := range []*Calls{c, o} {
		if n != nil {
			sum = Calls{sum.Refused + n.Refused, sum.Expired + n.Expired, sum.Undone + n.Undone}
		}
	}
	if sum == (Calls{}) {
		return nil
	}
	return &sum
}
