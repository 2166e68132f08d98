package chat

import (
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/render"
)

// asked is a question about a call. A command may have two: one about its ordinary changes, and
// one about those that other programs run by themselves.
type asked struct {
	id string
	// effect is what the question is about, verdict its answer. Each may be nil.
	effect  *permit.Effect
	verdict *event.Verdict
}

// question returns the question of an id, which it adds where it is new.
func (c *card) question(id string) *asked {
	i := slices.IndexFunc(c.asked, func(a *asked) bool { return a.id == id })
	if i < 0 {
		i, c.asked = len(c.asked), append(c.asked, &asked{id: id})
	}
	return c.asked[i]
}

// effect is what a person was asked about, nil for nothing. Of several questions it has the diffs
// of those that were not denied, and of each what counts.
func (c *card) effect() *permit.Effect {
	var all permit.Effect
	known := false
	for _, a := range c.asked {
		switch {
		case a.effect == nil:
		case len(c.asked) == 1:
			all, known = *a.effect, true
			all.Diff = a.shownDiff(c.result)
		case !a.denied():
			diff := all.Diff + a.shownDiff(c.result)
			all, known = *a.effect, true
			all.Diff = diff
		}
	}
	if !known {
		return nil
	}
	return &all
}

// denied reports whether all that was asked about was denied.
func (c *card) denied() bool {
	return len(c.asked) > 0 && !slices.ContainsFunc(c.asked, func(a *asked) bool { return !a.denied() })
}

func (a *asked) denied() bool {
	return a.verdict != nil && a.verdict.Verdict == string(permit.VerdictDeny)
}

// verdicts are the answers in words. Of several each begins with its files.
func (c *card) verdicts() (lines []string) {
	for _, a := range c.asked {
		if a.verdict == nil {
			continue
		}
		if files, dropped := a.applied(c.result); files != nil {
			lines = append(lines, partly(a.verdict, files, dropped))
			continue
		}
		words := render.Verdict(a.verdict)
		if len(c.asked) > 1 && a.effect != nil && a.effect.Done != nil {
			words = namedFiles(a.effect.Paths) + ": " + words
		}
		lines = append(lines, words)
	}
	return lines
}

// namedFiles names the first files of a question.
func namedFiles(paths []string) string {
	const most = 3
	names := make([]string, 0, most)
	for _, p := range paths[:min(len(paths), most)] {
		names = append(names, render.Line(p))
	}
	if more := len(paths) - most; more > 0 {
		names = append(names, quantity.Count(more, "more file", "more files"))
	}
	return strings.Join(names, ", ")
}
