package template

import (
	"regexp"
	"slices"
	"strings"
	"text/template/parse"
)

// place is where in the context a value lies, if the syntax shows it.
type place struct {
	known bool
	// asked is set where somebody looks whether a value is there at all.
	asked bool
	path  []string
}

// origin is the context itself.
var origin = place{known: true}

func (p place) child(keys ...string) place {
	if !p.known {
		return p
	}
	return place{known: true, asked: p.asked, path: slices.Concat(p.path, keys)}
}

// Entry stands in a path for an entry of a list, whichever it is.
const Entry = "[]"

// entry is the place of an entry of the value at p. Nothing is known of the entries of the
// context and of its tasks.
func (p place) entry() place {
	if len(p.path) == 0 || len(p.path) == 1 && p.path[0] == tasksKey {
		return place{}
	}
	return p.child(Entry)
}

// pattern notes a pattern that no evaluation could read.
func (w *walker) pattern(name string, args []parse.Node) {
	reads := name != "regexQuoteMeta" && (strings.HasPrefix(name, "regex") || strings.HasPrefix(name, "mustRegex"))
	if !reads || len(args) == 0 || w.wrong != nil {
		return
	}
	if text, ok := args[0].(*parse.StringNode); ok {
		_, w.wrong = regexp.Compile(text.Text)
	}
}

// part is the place that a call with literal keys leads to.
func (w *walker) part(args []parse.Node, dot place) (place, bool) {
	if len(args) < 2 {
		return place{}, false
	}
	for _, arg := range args[1:] {
		switch arg := arg.(type) {
		case *parse.StringNode:
		case *parse.NumberNode:
			if !arg.IsInt {
				return place{}, false
			}
		default:
			return place{}, false
		}
	}
	p := w.operand(args[0], dot)
	for _, arg := range args[1:] {
		if s, ok := arg.(*parse.StringNode); ok {
			p = p.child(s.Text)
			continue
		}
		if p.known && !p.entry().known {
			return place{}, false
		}
		p = p.entry()
	}
	return p, true
}

// operand is the place of an argument.
func (w *walker) operand(n parse.Node, dot place) place {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return dot.child(n.Ident...)
	case *parse.VariableNode:
		p := w.vars[n.Ident[0]]
		if n.Ident[0] == "$" {
			p = origin
		} else {
			w.named = append(w.named, n.Ident[0])
		}
		return p.child(n.Ident[1:]...)
	case *parse.ChainNode:
		return w.operand(n.Node, dot).child(n.Field...)
	case *parse.PipeNode:
		return w.pipe(n, dot)
	case *parse.IdentifierNode: // a function without arguments
		w.call(n.Ident)
		return place{}
	}
	return place{}
}
