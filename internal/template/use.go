package template

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"
)

// Use is a value of the context that is given to something which takes values of some kinds
// only: a function, or range.
type Use struct {
	Path []string
	By   string
	// Takes are the kinds that it takes. Compares says that By compares the value with one of
	// that kind.
	Takes    []string
	Compares bool
}

// Problem is what is wrong with a value of a kind there, and the next step; "" where it is
// right.
func (u Use) Problem(kind string) (problem, hint string) {
	where := "." + strings.Join(u.Path, ".")
	switch {
	case kind == "" || slices.Contains(u.Takes, kind):
		return "", ""
	case u.Compares && kind == KindNumber && u.Takes[0] == KindText:
		return fmt.Sprintf("%s compares %s, which is a number, with text", u.By, where), "write the number without quotes"
	case u.Compares:
		return fmt.Sprintf("%s compares %s, which is %s, with %s", u.By, where, kind, u.Takes[0]), Conversion(u.Takes[0], kind)
	case len(u.Takes) > 1:
		return fmt.Sprintf("%s takes %s or %s, and %s is %s", u.By, strings.Join(u.Takes[:len(u.Takes)-1], ", "), u.Takes[len(u.Takes)-1], where, kind), ""
	}
	return fmt.Sprintf("%s takes %s, and %s is %s", u.By, u.Takes[0], where, kind), Conversion(u.Takes[0], kind)
}

// Uses are those of the template, without those of values that may be missing. They are not
// to be changed.
func (t *Template) Uses() []Use { return t.uses }

// use notes what a value is given to.
func (w *walker) use(p place, by string, takes ...string) { w.note(p, Use{By: by, Takes: takes}) }

func (w *walker) note(p place, u Use) {
	if u.Path = p.path; p.known && !p.asked && len(p.path) > 0 {
		w.uses = append(w.uses, u)
	}
}

// argument notes that a value is the argument of a call, the i-th.
func (w *walker) argument(cmd *parse.CommandNode, i int, p place) {
	f, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok || !p.known {
		return
	}
	name := f.Ident
	switch strings.TrimPrefix(name, "must") {
	case "len":
		w.use(p, name, KindText, KindList, KindMapping)
		return
	case "first", "last", "rest", "initial", "reverse", "First", "Last", "Rest", "Initial", "Reverse":
		w.use(p, name, KindList)
		return
	case "eq", "ne", "lt", "le", "gt", "ge":
		for _, other := range cmd.Args[1:] {
			if kind := kindOfLiteral(other); kind != "" {
				w.note(p, Use{By: name, Takes: []string{kind}, Compares: true})
			}
		}
		return
	}
	if called := functions().plain[name]; called != nil {
		if kind := parameter(reflect.TypeOf(called), i); kind != "" {
			w.use(p, name, kind)
		}
	}
}

// parameter is the kind of what a function takes in a place, "" where that is open.
func parameter(t reflect.Type, i int) string {
	var in reflect.Type
	switch last := t.NumIn() - 1; {
	case t.IsVariadic() && i >= last:
		in = t.In(last).Elem()
	case i <= last:
		in = t.In(i)
	default:
		return ""
	}
	return kindOfType(in)
}

func kindOfLiteral(n parse.Node) string {
	switch n.(type) {
	case *parse.StringNode:
		return KindText
	case *parse.NumberNode:
		return KindNumber
	case *parse.BoolNode:
		return KindTruth
	}
	return ""
}
