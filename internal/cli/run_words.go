package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	reports "belay/internal/attachment/gather"
	"belay/internal/quantity"
	"belay/internal/workflow/run"
)

// runState is the status of a run or a task in the words of the command line.
func runState(s run.Status) string {
	switch s {
	case run.Success:
		return "done"
	case run.Running:
		return "runs"
	case run.Interrupted:
		return "stopped"
	}
	return string(s)
}

// waitingState is [runState] of a run or a task. One that is under way waits where a person or
// a time must come first.
func waitingState(s run.Status, waits bool) string {
	if waits && s == run.Running {
		return "waits"
	}
	return runState(s)
}

// keptWords say the outcome of a finished task where the file was corrected.
func keptWords(k run.Kept) (label, words string) {
	words = line(k.Task)
	switch {
	case 0 < k.Repeated && k.Repeated < k.Of:
		return "again", fmt.Sprintf("%s: %s of %s; the others are kept", words, grouped(int64(k.Repeated)), quantity.Count(k.Of, "task", "tasks"))
	case k.Again != "":
		return "again", words + ": " + line(k.Again)
	case k.Unfinished:
		return "kept", words + ": " + quantity.Count(k.Of, "finished task", "finished tasks")
	case k.Of > 0:
		return "kept", words + ": all " + quantity.Count(k.Of, "task", "tasks")
	}
	return "kept", words
}

// reasonOf is a failure in a line.
func reasonOf(f *run.Failure) string {
	if f == nil {
		return "for no reason that was recorded"
	}
	return clip(line(upstream(f.Fault(), f.Message)), maxFailure)
}

// spent is what a task used, if known.
func spent(tokens int64, cost *float64) (facts []string) {
	if tokens > 0 {
		facts = append(facts, grouped(tokens)+" tokens")
	}
	if cost != nil && *cost > 0 {
		facts = append(facts, fmt.Sprintf("US$ %.4f", *cost))
	}
	return facts
}

// grouped is a number with its thousands set apart.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// reported is the outcome of an attachment, in a line.
func reported(r reports.Report) string {
	name := cmp.Or(line(r.Name), line(r.Origin))
	if r.Refused != "" {
		return name + ": " + line(r.Refused)
	}
	var facts []string
	if r.MIME != "" {
		facts = append(facts, line(r.MIME))
	}
	if r.Bytes > 0 {
		facts = append(facts, quantity.Size(r.Bytes))
	}
	if r.Used != "" {
		facts = append(facts, line(r.Used))
	}
	if r.Note != "" {
		facts = append(facts, line(r.Note))
	}
	if len(r.Meta) > 0 {
		facts = append(facts, "meta "+brief(r.Meta))
	}
	if len(facts) == 0 {
		return name
	}
	return name + ": " + strings.Join(facts, ", ")
}

// shownReports is how many attachments of a task the progress names.
const shownReports = 5

// noteReports prints below a task the outcome of its attachments. What was left out
// and what is to be warned of is shown of all.
func noteReports(c *console, all []reports.Report, depth int, more string) {
	margin := strings.Repeat("  ", depth)
	shown := 0
	for _, r := range all {
		switch {
		case r.Refused != "":
			c.note("refused", margin+reported(r))
		case shown < shownReports:
			shown++
			c.note("shown", margin+reported(r))
		default:
			shown++
		}
		for _, w := range r.Warnings {
			c.warn(line(r.Name) + ": " + line(w))
		}
	}
	if shown > shownReports {
		c.note("shown", fmt.Sprintf("%sand %d more: %s", margin, shown-shownReports, more))
	}
}

// liveLine is the last line of a terminal, which says what is under way and gives
// way to everything else. The zero value shows nothing.
type liveLine struct {
	c     *console
	on    bool
	drawn bool
}

func (l *liveLine) draw(text string) {
	if !l.on {
		return
	}
	l.erase()
	if text == "" {
		return
	}
	width := cmp.Or(l.c.width, 80)
	words := pad("now", noteCells) + text
	_, _ = io.WriteString(l.c.err, l.c.paint(styleQuiet, clip(words, width-1))) // the sink keeps its first error
	l.drawn = true
}

// erase takes the line away.
func (l *liveLine) erase() {
	if l.drawn {
		_, _ = io.WriteString(l.c.err, "\r\x1b[K")
		l.drawn = false
	}
}

func keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
