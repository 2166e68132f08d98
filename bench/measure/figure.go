package measure

import (
	"fmt"
	"math"
	"strconv"
)

// Figure is one figure on both sides.
type Figure struct {
	Row  string `json:"row"`
	What string `json:"what"`
	Unit string `json:"unit"`
	// Bare and Belay are medians of the rounds; nil was not measured.
	Bare  *float64 `json:"bare,omitempty"`
	Belay *float64 `json:"belay,omitempty"`
	// Target is what belay must reach, at most or at least; nil is no target.
	Target *Target `json:"target,omitempty"`
	// Note says why something was not measured, or what to know about it.
	Note string `json:"note,omitempty"`
}

// Target is a limit on a figure, or on its ratio to the bare side's.
type Target struct {
	Limit   float64 `json:"limit"`
	AtLeast bool    `json:"atLeast,omitempty"`
	OfRatio bool    `json:"ofRatio,omitempty"`
	// Bare is what the bare side took on the machine that a limit in time was set
	// for; 0 where the limit is the same on every machine.
	Bare float64 `json:"beside,omitempty"`
}

// AtMost is a limit of a figure from above.
func AtMost(limit float64) *Target { return &Target{Limit: limit} }

// AtLeast is a limit from below.
func AtLeast(limit float64) *Target { return &Target{Limit: limit, AtLeast: true} }

// Beside makes a limit one in time, which was set where the bare side took so long
// or, for a limit at least, did so many per second.
func (t *Target) Beside(bare float64) *Target {
	t.Bare = bare
	return t
}

// AtMostTimes is a limit of the ratio to the bare side.
func AtMostTimes(limit float64) *Target {
	return &Target{Limit: limit, OfRatio: true}
}

// Ratio is belay's figure over the bare side's, NaN when one is missing.
func (m Figure) Ratio() float64 {
	if m.Bare == nil || m.Belay == nil || *m.Bare == 0 {
		return math.NaN()
	}
	return *m.Belay / *m.Bare
}

// Verdict is "yes", "no", or "" where there is no target or no figure.
func (m Figure) Verdict() string {
	if m.Target == nil || m.Belay == nil {
		return ""
	}
	v := *m.Belay
	if m.Target.OfRatio {
		v = m.Ratio()
	}
	if math.IsNaN(v) {
		return ""
	}
	if limit := m.limit(); v == limit || v > limit == m.Target.AtLeast {
		return "yes"
	}
	return "no"
}

// limit is what belay is held to on this machine. One on which the bare side is
// slower than where the limit was set is slower at this kind of work.
func (m Figure) limit() float64 {
	t := m.Target
	switch {
	case t.Bare == 0 || m.Bare == nil:
		return t.Limit
	case t.AtLeast:
		return t.Limit * min(1, *m.Bare/t.Bare)
	default:
		return t.Limit * max(1, *m.Bare/t.Bare)
	}
}

// TargetText is the target as the table shows it.
func (m Figure) TargetText() string {
	switch t := m.Target; {
	case t == nil:
		return ""
	case t.OfRatio && t.AtLeast:
		return fmt.Sprintf("≥ %.0f%%", t.Limit*100)
	case t.OfRatio:
		return fmt.Sprintf("≤ %g times", t.Limit)
	case t.AtLeast:
		limit := m.limit()
		return "≥ " + m.figure(&limit)
	default:
		limit := m.limit()
		return "≤ " + m.figure(&limit)
	}
}

// figure is a value with its unit.
func (m Figure) figure(v *float64) string {
	if v == nil {
		return "–"
	}
	return Number(*v) + " " + m.Unit
}

// Number is v with three significant digits, without an exponent.
func Number(v float64) string {
	decimals := 0
	if a := math.Abs(v); a > 0 && a < 100 {
		decimals = max(0, 2-int(math.Floor(math.Log10(a))))
	}
	s := strconv.FormatFloat(v, 'f', min(decimals, 3), 64)
	if decimals > 0 {
		return s
	}
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// String is the figure on one line.
func (m Figure) String() string {
	s := fmt.Sprintf("%s: bare %s, belay %s", m.What, m.figure(m.Bare), m.figure(m.Belay))
	if v := m.Verdict(); v != "" {
		s += fmt.Sprintf(" (%s: %s)", m.TargetText(), v)
	}
	if m.Note != "" {
		s += "; " + m.Note
	}
	return s
}
