package definition

import (
	"maps"
	"slices"
	"strings"

	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"belay/internal/authored"
	"belay/internal/template"
)

// pathsIn are the fields that an expression takes to be there, as paths from the context
// on. What it asks for with has is none of them, here or elsewhere. Whole says that the
// expression is one path. Compared are the paths that it compares with literals.
func pathsIn(e celast.Expr) (paths [][]string, whole bool, compared []comparison) {
	v := pathVisitor{within: map[int64]bool{}}
	v.visit(e, nil)
	paths = slices.DeleteFunc(v.paths, func(p []string) bool {
		return slices.ContainsFunc(v.asked, func(a []string) bool { return len(p) >= len(a) && slices.Equal(p[:len(a)], a) })
	})
	return paths, len(paths) == 1 && len(pathOf(e, map[int64]bool{})) > 0, v.compared
}

// pathVisitor gathers the paths of an expression, and what it compares them with.
type pathVisitor struct {
	paths, asked [][]string
	// within are the parts of paths that were noted as a whole.
	within   map[int64]bool
	compared []comparison
}

// own are the variables of the expression itself, each with where its values lie, nil where
// that is not known. They count in a part of the expression only, so two parts may use one
// name.
type own map[string][]string

// visit notes the paths of an expression that stands where own variables count.
func (v *pathVisitor) visit(e celast.Expr, own own) {
	if e.Kind() == celast.ComprehensionKind {
		c := e.AsComprehension()
		v.visit(c.IterRange(), own)
		v.visit(c.AccuInit(), own)
		inner := maps.Clone(own)
		if inner == nil {
			inner = map[string][]string{}
		}
		entry := own.path(pathOf(c.IterRange(), map[int64]bool{}))
		if entry != nil && c.IterVar2() == "" {
			entry = append(slices.Clone(entry), template.Entry)
		} else {
			entry = nil
		}
		inner[c.IterVar()], inner[c.IterVar2()], inner[c.AccuVar()] = entry, nil, nil
		for _, part := range []celast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()} {
			v.visit(part, inner)
		}
		return
	}
	if path := pathOf(e, v.within); path != nil && !v.within[e.ID()] {
		if path = own.path(path); path != nil && e.Kind() == celast.SelectKind && e.AsSelect().IsTestOnly() {
			v.asked = append(v.asked, path)
		} else if path != nil {
			v.paths = append(v.paths, path)
		}
	}
	switch e.Kind() {
	case celast.SelectKind:
		v.visit(e.AsSelect().Operand(), own)
	case celast.CallKind:
		c := e.AsCall()
		v.compare(c, own)
		if c.IsMemberFunction() {
			v.visit(c.Target(), own)
		}
		for _, arg := range c.Args() {
			v.visit(arg, own)
		}
	case celast.ListKind:
		for _, entry := range e.AsList().Elements() {
			v.visit(entry, own)
		}
	case celast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			v.visit(entry.AsMapEntry().Key(), own)
			v.visit(entry.AsMapEntry().Value(), own)
		}
	default:
	}
}

// path is a path from the context on, nil where it begins with a variable whose values lie
// nowhere.
func (o own) path(p []string) []string {
	if p == nil {
		return nil
	}
	from, is := o[p[0]]
	switch {
	case !is:
		return p
	case from == nil:
		return nil
	}
	return slices.Concat(from, p[1:])
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
		var name string
		switch key := c.Args()[1].AsLiteral().(type) {
		case types.String:
			name = string(key)
		case types.Int:
			name = template.Entry
		default:
			return nil
		}
		within[c.Args()[0].ID()] = true
		if path := pathOf(c.Args()[0], within); path != nil {
			return append(path, name)
		}
		delete(within, c.Args()[0].ID())
	default:
	}
	return nil
}

// resultsOf are all that an expression can give, as routes name it; nil where that is not
// known.
func resultsOf(e celast.Expr, truth bool) []string {
	switch {
	case truth:
		return []string{"true", "false"}
	case e.Kind() == celast.LiteralKind:
		if text, ok := routeValue(e.AsLiteral()); ok {
			return []string{text}
		}
	case e.Kind() == celast.CallKind && e.AsCall().FunctionName() == operators.Conditional:
		args := e.AsCall().Args()
		one, other := resultsOf(args[1], false), resultsOf(args[2], false)
		if one != nil && other != nil {
			return append(one, other...)
		}
	}
	return nil
}

// condition looks at one condition of a task, the field of that name.
func (s sight) condition(c *Condition, t *Task, name string) {
	if c == nil {
		return
	}
	at, path := t.At.Field(name), t.Path+"."+name
	for _, id := range c.tasks {
		s.finished(id, at, path, "the condition looks")
	}
	for _, p := range c.paths {
		r, from, ok := s.root(p)
		if !ok {
			continue
		}
		written := strings.Join(p, ".")
		if right, problem, hint := r.lacks(p[from:]); problem != "" {
			if strings.HasPrefix(problem, "it is a list") {
				hint = "take an entry, as in " + strings.Join(p[:from+right], ".") + "[0], or look at all of them with exists(x, …)"
			}
			s.d.report.Beyond(authored.RuleReference, at, path, hint, "%s: %s in %s", written, problem, strings.Join(p[:from+right], "."))
			continue
		}
		if of, _, ok := s.resolve(p); ok && name == "until" && c.whole && of.is() != "" && of.is() != isTruth {
			s.d.report.Beyond(authored.RuleReference, at, path, "compare it with something, as in "+written+map[bool]string{true: " > 3", false: ` == "done"`}[of.is() == isNumber], "%s is never true or false", written)
		}
	}
	if err := c.alwaysFails(); err != nil {
		s.d.report.Beyond(authored.RuleCondition, at, path, "", "%v", err)
	}
	s.compares(c, at, path)
	s.routes(c, t)
}

// routes refuses routes that a condition never chooses, and results that have no route.
func (s sight) routes(c *Condition, t *Task) {
	if t.Kind != Router {
		return
	}
	never := func(r Route, hint string) {
		s.d.report.Beyond(authored.RuleReference, r.at, t.Path+".routes."+r.Value, hint, "the condition never gives %q", r.Value)
	}
	var of result
	if c.whole {
		of, _, _ = s.resolve(c.paths[0])
	}
	for _, r := range t.Routes {
		text := strings.TrimSpace(r.Value)
		switch number := numberText(text); {
		case text == "" || text != r.Value:
			never(r, "a result has no blanks around it, and an empty one chooses no route")
		case possible(of.kind, text):
		case of.kind == isNumber && number != "":
			never(r, "write "+number)
		default:
			never(r, strings.Join(c.paths[0], ".")+" is "+of.kind)
		}
	}
	if len(c.results) < 2 { // a single one is an author's trial
		return
	}
	gives := "the condition gives " + strings.Join(c.results, " or ")
	right := true
	for _, r := range t.Routes {
		if !slices.Contains(c.results, r.Value) {
			right = false
			never(r, gives+": name the routes so")
		}
	}
	for _, v := range c.results {
		if right && t.Default == "" && !slices.ContainsFunc(t.Routes, func(r Route) bool { return r.Value == v }) {
			s.d.report.Beyond(authored.RuleReference, t.At.Field("routes"), t.Path+".routes", "add the route, or default with the task for all others", "the condition may give %q, and there is no such route and no default", v)
		}
	}
}
