package run

import (
	"fmt"

	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// refusedCall says that the call of a tool task is certainly refused: it needs a decision, and
// nobody is asked.
func (p *planner) refusedCall(t *definition.Task) []problem {
	x := p.x
	if !p.fetch || x.onQuestion != turn.OnQuestionRefuse || x.r.o.Asks == nil ||
		!x.r.o.Asks(x.record.Project, x.record.Mode, x.record.Allow, t.Tool) {
		return nil
	}
	n := t.At.Field("tool")
	if n == nil {
		n = t.At
	}
	return []problem{{
		File: x.w.name, Line: n.Line, Column: n.Column, Path: t.Path + ".tool",
		Message: fmt.Sprintf("the tool %s changes project files, and nobody is asked whether it may", t.Tool),
		Hint:    fmt.Sprintf("permit it with --allow %s or --mode acceptEdits, or, in mode default, let the run wait for an answer with --wait", t.Tool),
	}}
}
