package definition

import (
	"slices"
	"strings"

	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"belay/internal/authored"
)

// pathsIn are the fields that an expression takes to be there, as paths from the context
// on. What it asks for with has is none of them, here or elsewhere. Whole says that the
// expression is one path.
func pathsIn(e celast.Expr) (paths [][]string, whole bool) {
	var asked [][]string
	var own []string // variables of the expression's own
	within := map[int64]bool{}
	celast.PreOrderVisit(e, celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() == celast.ComprehensionKind {
			c := e.AsComprehension()
			own = append(own, c.IterVar(), c.IterVar2(), c.AccuVar())
		}
		if within[e.ID()] {
			return
		}
		path := pathOf(e, within)
		switch {
		case path == nil:
		case e.Kind() == celast.SelectKind && e.AsSelect().IsTestOnly():
			asked = append(asked, path)
		default:
			paths = append(paths, path)
		}
	}))
	paths = slices.DeleteFunc(paths, func(p []string) bool {
		return slices.Contains(own, p[0]) || slices.ContainsFunc(asked, func(a []string) bool {
			return len(p) >= len(a) && slices.Equal(p[:len(a)], a)
		})
	})
	return paths, len(paths) == 1 && len(pathOf(e, map[int64]bool{})) > 0
}

// pathOf is an expression that is a path, such as tasks.a["b"]; nil for any other. It
// notes the parts of the path.
func pathOf(e celast.Expr, within map[int64]bool) []string {
	switch e.Kind() {
	case celast.IdentKind:
		return []string{e.AsIdent()}
	case celast.SelectKind:
		s := e.AsSelect()
		within[s.Operand().ID()] = true
		if path := pathOf(s.Operand(), within); path != nil {
			return append(path, s.FieldName())
		}
		delete(within, s.Operand().ID())
	case celast.CallKind:
		c := e.AsCall()
		if c.FunctionName() != operators.Index || c.Args()[1].Kind() != celast.LiteralKind {
			return nil
		}
		name, ok := c.Args()[1].AsLiteral().(types.String)
		if !ok {
			return nil
		}
		within[c.Args()[0].ID()] = true
		if path := pathOf(c.Args()[0], within); path != nil {
			return append(path, string(name))
		}
		delete(within, c.Args()[0].ID())
	default:
	}
	return nil
}

// condition looks at one condition of a task, the field of that name. Output is what the
// condition sees as output, nil where it sees none.
func (s sight) condition(c *Condition, t *Task, name string, output *result) {
	if c == nil {
		return
	}
	at, path := t.At.Field(name), t.Path+"."+name
	for _, id := range c.tasks {
		s.finished(id, at, path, "the condition looks")
	}
	for _, p := range c.paths {
		of, from := output, 1
		if p[0] == "tasks" && len(p) > 2 && p[2] == "output" && s.seen[p[1]] != nil {
			r := resultOf(s.seen[p[1]])
			of, from = &r, 3
		} else if p[0] != "output" || output == nil {
			continue
		}
		right, problem, hint := of.lacks(p[from:])
		if problem == "" && name == "until" && c.whole && of.never(p[from:]) {
			hint = `compare it with something: output.response == "done"`
			s.d.report.Beyond(authored.RuleReference, at, path, hint, "%s is never true or false", strings.Join(p, "."))
			continue
		}
		if problem != "" {
			s.d.report.Beyond(authored.RuleReference, at, path, hint, "%s: %s in %s", strings.Join(p, "."), problem, strings.Join(p[:from+right], "."))
		}
	}
}
