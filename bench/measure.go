package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"belay/bench/load"
)

// row is a line of the table in the requirements; it gives one or more figures.
type row struct {
	name    string
	measure func(b *bench, ctx context.Context) ([]Measure, error)
}

func rows() []row {
	return []row{
		{"first-event-one", (*bench).firstEventOne},
		{"first-event-fifty-paced", (*bench).firstEventPaced},
		{"turns-per-second", (*bench).throughput},
		{"system-calls", (*bench).systemCalls},
		{"one-turn-sessions", (*bench).oneTurn},
		{"thousand-at-once", (*bench).thousand},
		{"attachments", (*bench).attachments},
		{"reply-bytes", (*bench).replyBytes},
		{"reply-bytes-gathered", (*bench).replyBytesGathered},
		{"sdk", (*bench).sdk},
		{"start", (*bench).start},
		{"memory", (*bench).memory},
		{"stuck-readers", (*bench).stuck},
		{"fan-out", (*bench).fanOut},
		{"tools-round", (*bench).toolRound},
		{"tools-command", (*bench).command},
		{"tools-command-large", (*bench).commandLarge},
		{"tools-command-unwritten", (*bench).commandUnwritten},
		{"tools-command-files", (*bench).commandFiles},
		{"tools-command-programs", (*bench).commandPrograms},
		{"tools-grep", (*bench).toolGrep},
		{"tools-read", (*bench).toolRead},
		{"tools-edit", (*bench).toolEdit},
		{"projects-list", (*bench).projectList},
		{"projects-validate", (*bench).projectValidate},
		{"projects-lint", (*bench).projectLint},
		{"projects-among-files", (*bench).projectAmongFiles},
		{"projects-serve", (*bench).projectServe},
		{"projects-change", (*bench).projectChange},
		{"projects-graph", (*bench).projectGraph},
		{"session-list", (*bench).sessionList},
		{"session-long", (*bench).longSession},
		{"workflow-items", (*bench).workflowItems},
		{"workflow-many", (*bench).workflowMany},
		{"workflow-fetch", (*bench).workflowFetch},
		{"workflow-runs", (*bench).workflowRuns},
		{"discord", (*bench).discord},
	}
}

// Measure is one figure on both sides.
type Measure struct {
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

// Target is a limit on a figure, or on its ratio to the bare server's.
type Target struct {
	Limit   float64 `json:"limit"`
	AtLeast bool    `json:"atLeast,omitempty"`
	OfRatio bool    `json:"ofRatio,omitempty"`
	// Beside is what the bare program took on the machine that a limit in time was set
	// for; 0 where the limit is the same on every machine.
	Beside float64 `json:"beside,omitempty"`
}

func atMost(limit float64) *Target  { return &Target{Limit: limit} }
func atLeast(limit float64) *Target { return &Target{Limit: limit, AtLeast: true} }

// beside makes a limit one in time, which was set where the bare program took so long
// or, for a limit at least, did so many per second.
func (t *Target) beside(bare float64) *Target {
	t.Beside = bare
	return t
}

func atMostTimes(limit float64) *Target {
	return &Target{Limit: limit, OfRatio: true}
}

// Ratio is belay's figure over the bare server's, NaN when one is missing.
func (m Measure) Ratio() float64 {
	if m.Bare == nil || m.Belay == nil || *m.Bare == 0 {
		return math.NaN()
	}
	return *m.Belay / *m.Bare
}

// Verdict is "yes", "no", or "" where there is no target or no figure.
func (m Measure) Verdict() string {
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

// limit is what belay is held to on this machine. One on which the bare program is
// slower than where the limit was set is slower at this kind of work.
func (m Measure) limit() float64 {
	t := m.Target
	switch {
	case t.Beside == 0 || m.Bare == nil:
		return t.Limit
	case t.AtLeast:
		return t.Limit * min(1, *m.Bare/t.Beside)
	default:
		return t.Limit * max(1, *m.Bare/t.Beside)
	}
}

// TargetText is the target as the table shows it.
func (m Measure) TargetText() string {
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
func (m Measure) figure(v *float64) string {
	if v == nil {
		return "–"
	}
	return number(*v) + " " + m.Unit
}

// number is v with three significant digits, without an exponent.
func number(v float64) string {
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
func (m Measure) String() string {
	s := fmt.Sprintf("%s: bare %s, belay %s", m.What, m.figure(m.Bare), m.figure(m.Belay))
	if v := m.Verdict(); v != "" {
		s += fmt.Sprintf(" (%s: %s)", m.TargetText(), v)
	}
	if m.Note != "" {
		s += "; " + m.Note
	}
	return s
}

// series collects the values of the rounds of one figure.
type series struct{ bare, belay []float64 }

func (s *series) add(side *side, v float64) {
	if side.bare {
		s.bare = append(s.bare, v)
	} else {
		s.belay = append(s.belay, v)
	}
}

// measure is the figure of the rounds' medians.
func (s *series) measure(row, what, unit string, t *Target) Measure {
	return Measure{Row: row, What: what, Unit: unit, Bare: median(s.bare), Belay: median(s.belay), Target: t}
}

func median(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := load.Median(values)
	return &m
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func megabytes(n int64) float64 { return float64(n) / 1e6 }
