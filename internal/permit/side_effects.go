package permit

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"belay/internal/lazyregexp"
)

// Names of what is listed like a command and is none. No program can have such a
// name: see plainName.
const (
	nameWrite      = ">"
	nameRead       = "<"
	nameArithmetic = "(("
)

// private are names of variables that scripts keep to themselves by custom: no
// program and no shell acts on them unless they are exported.
var private = lazyregexp.New(`^[a-z_][a-z0-9_]*$`)

// plainDelimiter is what the end of most here-documents looks like.
var plainDelimiter = lazyregexp.New(`^(?:\\?\w+|'\w+'|"\w+")$`)

// redirect adds the file that a redirection writes.
func (a *analysis) redirect(r *syntax.Redirect) {
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") { // {name}> sets a variable
		a.assigned(&syntax.Lit{Value: strings.Trim(r.N.Value, "{}")}, arg{dynamic: true})
	}
	if r.Word == nil {
		return
	}
	w := word(a.source, r.Word)
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		// Of any other delimiter the parser and bash may make something else.
		a.opaque = a.opaque || !plainDelimiter.MatchString(written(a.source, r.Word))
		return
	case syntax.WordHdoc, syntax.DplIn:
		return
	case syntax.RdrIn:
		if w.dynamic || strings.HasPrefix(w.text, "/dev/tcp/") || strings.HasPrefix(w.text, "/dev/udp/") {
			a.write(w) // opening a socket is no reading
			return
		}
		// Reading a file this way is reading it with cat.
		a.add(classed(command(nameRead, []arg{{text: nameRead}, w})))
		return
	case syntax.DplOut:
		if strings.Trim(w.text, "0123456789-") == "" {
			return // another of the command's own streams
		}
	}
	if !w.fixed() || !slices.Contains([]string{"/dev/null", "/dev/stdout", "/dev/stderr"}, w.text) {
		a.write(w)
	}
}

// write adds a file that is written. One whose name is not known could be any.
func (a *analysis) write(w arg) {
	a.opaque = a.opaque || !w.fixed()
	a.add(classed(command(nameWrite, []arg{{text: nameWrite}, w})))
}

// classed gives a command the class of its words: it covers nothing else.
func classed(c Command) Command {
	c.Class = wholeClass(c)
	return c
}

// variable adds an assignment.
func (a *analysis) variable(as *syntax.Assign) {
	value := arg{}
	switch {
	case as.Value != nil:
		value = word(a.source, as.Value)
	case as.Array != nil:
		value = arg{text: written(a.source, as.Array), dynamic: true}
	}
	a.assigned(as.Name, value)
}

// assigned adds a variable that is set and that the shell or a program may act
// on.
func (a *analysis) assigned(name *syntax.Lit, value arg) {
	if name == nil {
		return
	}
	w := arg{text: name.Value + "=" + value.text, dynamic: value.dynamic}
	c := command(name.Value+"=", []arg{w})
	c.Class = c.Name
	if private.MatchString(name.Value) && value.dynamic && value.text == "" {
		return // a loop's variable
	}
	a.add(c)
}

// declare adds declare, export and their like, by all that they say.
func (a *analysis) declare(n *syntax.DeclClause) {
	words := []arg{{text: n.Variant.Value}}
	for _, as := range n.Args {
		w := arg{text: written(a.source, as)}
		if as.Value != nil && word(a.source, as.Value).dynamic || as.Array != nil || as.Index != nil {
			w.dynamic = true
		}
		words = append(words, w)
		if as.Naked && as.Value != nil { // in quotes
			a.opaque = a.opaque || substitutes(word(a.source, as.Value).text)
		}
	}
	a.add(classed(command(n.Variant.Value, words)))
}

// expansion looks at what a variable's expansion does besides.
func (a *analysis) expansion(n *syntax.ParamExp) {
	switch {
	case n.Excl: // ${!x}: the value of x is a name, or an expression
		a.opaque = true
	case n.Exp != nil && n.Exp.Op == syntax.OtherParamOps: // ${x@P} runs commands
		a.opaque = true
	case n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull):
		a.assigned(n.Param, arg{dynamic: true})
	}
	if n.Index != nil {
		a.arithmetic(n.Index)
	}
	if n.Slice != nil {
		for _, x := range []syntax.ArithmExpr{n.Slice.Offset, n.Slice.Length} {
			if x != nil {
				a.arithmetic(x)
			}
		}
	}
}

// arithmetic adds arithmetic that a variable takes part in: bash evaluates the
// variable's value as an expression, and an expression can run commands.
func (a *analysis) arithmetic(n syntax.Node) {
	acts := false
	_, isTest := n.(*syntax.TestClause)
	syntax.Walk(n, func(m syntax.Node) bool {
		switch m := m.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			acts = acts || !isTest
			return false // visited on its own
		case *syntax.BinaryTest:
			acts = acts || m.Op >= syntax.TsEql && m.Op <= syntax.TsGtr
		case *syntax.UnaryTest:
			acts = acts || m.Op == syntax.TsVarSet || m.Op == syntax.TsRefVar
		case *syntax.ParamExp, *syntax.SglQuoted, *syntax.DblQuoted:
			_, variable := m.(*syntax.ParamExp)
			text := written(a.source, m)
			a.opaque = a.opaque || !variable && (substitutes(text) || !isTest && runsInside(text))
			acts = acts || !isTest
		case *syntax.Lit:
			acts = acts || !isTest && strings.ContainsFunc(m.Value, isLetter)
		}
		return true
	})
	if acts {
		a.add(Command{Name: nameArithmetic, Words: []string{nameArithmetic, written(a.source, n)}, Dynamic: true, Fixed: 1, Class: nameArithmetic})
	}
}

// substitutes reports whether a word that the shell takes for the name of a variable may have a
// subscript that runs a command: a[$(date)]. In quotes the shell expands that only afterwards.
func substitutes(word string) bool { return strings.Contains(word, "[") && runsInside(word) }

// runsInside reports whether a text in quotes has a substitution.
func runsInside(text string) bool { return strings.Contains(text, "$(") || strings.Contains(text, "`") }

func isLetter(r rune) bool { return r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
