package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
)

// figure is one figure of both sides, each the median of its rounds.
type figure struct {
	what, unit  string
	bare, belay float64
	// limit is what belay must reach: at most so much, or at least where least is set; 0 is none.
	limit float64
	least bool
}

// series are the rounds of a figure.
type series struct{ bare, belay []float64 }

func (s *series) add(bare bool, v float64) {
	if bare {
		s.bare = append(s.bare, v)
	} else {
		s.belay = append(s.belay, v)
	}
}

// figure makes a figure of the rounds.
func (s *series) figure(what, unit string) figure {
	return figure{what: what, unit: unit, bare: median(s.bare), belay: median(s.belay)}
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(all))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func (f figure) atMost(limit float64) figure  { f.limit = limit; return f }
func (f figure) atLeast(limit float64) figure { f.limit, f.least = limit, true; return f }

// reached says whether belay is where it must be, "" for no limit.
func (f figure) reached() string {
	switch {
	case f.limit == 0:
		return ""
	case f.least && f.belay >= f.limit, !f.least && f.belay <= f.limit:
		return "yes"
	}
	return "no"
}

// target is the limit in words, "" for none.
func (f figure) target() string {
	switch {
	case f.limit == 0:
		return ""
	case f.least:
		return fmt.Sprintf("≥ %s %s", number(f.limit), f.unit)
	}
	return fmt.Sprintf("≤ %s %s", number(f.limit), f.unit)
}

func (f figure) String() string {
	s := fmt.Sprintf("%s: bare %s %s, belay %s %s", f.what, number(f.bare), f.unit, number(f.belay), f.unit)
	if f.limit != 0 {
		s += fmt.Sprintf(" (%s: %s)", f.target(), f.reached())
	}
	return s
}

// number has three digits.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.Abs(v) >= 100 || v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	case math.Abs(v) >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

const introduction = `# Performance of the page

This page is written by ` + "`make bench-page`" + ` (` + "`go run ./bench/page`" + `); do not edit it.

Every figure is measured in headless Chromium on one machine in one run, beside a bare page: one document of plain HTML with a list, a
box for messages, and a script of ten lines that shows the events of one stream as they come. It has no state, no Markdown, no
keys and no questions to answer. What belay's page takes longer is the price of all that.

belay runs as a user would run it: ` + "`belay serve`" + ` with the scripted provider and its default settings. Browser, both servers and the program
that measures share the machine's cores.

`

const method = `
How it is done:

- Each round has a browser context of its own, with a window of 1280 by 800. The two sides take turns; a figure is the median of the
  rounds. The scripts that measure are the same on both sides.
- The first view answers input when a letter that was typed into its box for messages is on the screen, counted from the start of the
  navigation. The browser is paired before, and its cache is empty. Bytes are those of all answers until then, compressed as they were sent,
  with their headers.
- 50 live sessions: 50 turns speak at the same time, every 35 ms a piece each. One of their sessions is shown, the list of all of them is
  beside it, and everything comes by one stream. The bare page shows pieces of 50 texts, one every 35 ms each. The longest frame is that
  of 8 seconds.
- A session of 2,500 turns, which are 5,000 messages, is scrolled for 4 seconds, by 200 pixels per frame, from its end. Headless Chromium draws 60
  frames per second at most, and on a busy machine one or two less. The bare page has all messages in its document.
- A question is on the screen when the frame after it was inserted is drawn. The time is that since its event was appended to the log,
  or, on the bare page, since its server got the request.
`

// report is the whole page of figures.
func (b *bench) report(all []figure) string {
	var d strings.Builder
	d.WriteString(introduction)
	fmt.Fprintf(&d, "Machine: %d cores, %s/%s, Chromium %s, built with %s. %d rounds.\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, b.browser.version, runtime.Version(), b.o.rounds)
	d.WriteString("| what | bare page | belay | belay must reach | reached |\n|---|---:|---:|---:|---|\n")
	for _, f := range all {
		fmt.Fprintf(&d, "| %s | %s %s | %s %s | %s | %s |\n", f.what, number(f.bare), f.unit, number(f.belay), f.unit, f.target(), f.reached())
	}
	d.WriteString(method)
	return d.String()
}
