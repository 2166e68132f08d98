package template

import (
	"fmt"
	"reflect"
	"strings"
	"text/template/parse"
)

// bounded holds a function to what an evaluation may take: what goes in is
// weighed before a call that makes text of it, what comes out after every call. spend
// counts the work.
func bounded(name string, f any, spend func(int64) error) any {
	weigh := weighs[name]
	limit := growth[name]
	v := reflect.ValueOf(f)
	return reflect.MakeFunc(loose(withError(v.Type())), func(args []reflect.Value) []reflect.Value {
		fail := func(err error) []reflect.Value {
			return []reflect.Value{reflect.Zero(v.Type().Out(0)), reflect.ValueOf(&err).Elem()}
		}
		args, err := strict(name, v.Type(), args)
		if err != nil {
			return fail(err)
		}
		plain := args
		if v.Type().IsVariadic() {
			plain = spread(args)
		}
		if limit != nil {
			if err := limit(plain); err != nil {
				return fail(err)
			}
		}
		if err := spend(cost(name, plain)); err != nil {
			return fail(err)
		}
		if weigh {
			w := weigher{left: MaxOutput}
			for _, a := range plain {
				if w.put(a, 0); w.over() {
					return fail(w.problem(name))
				}
			}
			if err := spend(int64(MaxOutput - w.left)); err != nil {
				return fail(err)
			}
		}
		out, err := invoke(name, v, args)
		if err != nil {
			return fail(err)
		}
		if entries(out[0]) > MaxOutput {
			return fail(tooLong(name))
		}
		if err := spend(size(out[0])); err != nil {
			return fail(err)
		}
		if len(out) == 1 {
			out = append(out, reflect.Zero(errorType))
		}
		return out
	}).Interface()
}

// entries is the length of a text, a list or a mapping.
func entries(v reflect.Value) int {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len()
	}
	return 0
}

var errorType = reflect.TypeFor[error]()

// withError is the type of a function that may fail.
func withError(t reflect.Type) reflect.Type {
	in := make([]reflect.Type, t.NumIn())
	for i := range in {
		in[i] = t.In(i)
	}
	return reflect.FuncOf(in, []reflect.Type{t.Out(0), errorType}, t.IsVariadic())
}

// spread takes the arguments of a variadic call apart.
func spread(args []reflect.Value) []reflect.Value {
	last := args[len(args)-1]
	all := append([]reflect.Value{}, args[:len(args)-1]...)
	for i := range last.Len() {
		all = append(all, last.Index(i))
	}
	return all
}

// maxDepth is how deep lists and mappings may be nested. Recursion into them uses stack, and
// no recover catches a stack overflow in Go.
const maxDepth = 1000

// weigher adds up what values weigh as text.
type weigher struct {
	// left is what they may still weigh; a negative one says that it is too much.
	left int
	// shape leaves the bytes of texts out.
	shape bool
	// entries are the values, texts the bytes of those that are text, and mapped the
	// entries of mappings.
	entries, texts, mapped int64
	// deepest is how deep a value lies in others.
	deepest int
}

func (w *weigher) over() bool { return w.left < 0 || w.deepest > maxDepth }

// problem says what is over.
func (w *weigher) problem(name string) error {
	switch {
	case w.deepest > maxDepth:
		return &Error{Problem: fmt.Sprintf("%s is given lists or mappings that are nested more than %d deep", name, maxDepth), Hint: "make the value flatter"}
	case w.shape:
		return &Error{Problem: fmt.Sprintf("%s is given more than %d entries, the most that a template may use", name, MaxOutput)}
	}
	return tooLong(name)
}

// put adds a value that lies in so many others. Once that is too much, it stops.
func (w *weigher) put(v reflect.Value, depth int) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	w.deepest = max(w.deepest, depth)
	w.entries++
	switch v.Kind() {
	case reflect.String:
		if w.texts += int64(v.Len()); !w.shape {
			w.left -= v.Len()
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len() && !w.over(); i++ {
			w.left--
			w.put(v.Index(i), depth+1)
		}
	case reflect.Map:
		for it := v.MapRange(); !w.over() && it.Next(); {
			w.left--
			w.mapped++
			w.put(it.Key(), depth+1)
			w.put(it.Value(), depth+1)
		}
	default:
		w.left--
	}
}

func tooLong(name string) error {
	return &Error{Problem: fmt.Sprintf("%s makes more than %d bytes, the most that a template may make", name, MaxOutput)}
}

// maxWidth is the largest width or precision that printf takes.
const maxWidth = 999

// printf is fmt.Sprintf without widths that alone fill the memory.
func printf(format string, args ...any) (string, error) {
	switch widest, star := widths(format); {
	case star:
		return "", &Error{Problem: "printf takes no width of *", Hint: "write the width as a number"}
	case widest > maxWidth:
		return "", &Error{Problem: fmt.Sprintf("printf takes no width of more than %d", maxWidth)}
	}
	return fmt.Sprintf(format, args...), nil
}

// widths reads a format: widest is the largest width, precision or index of an argument in
// it, at most one more than [maxWidth]; star says that a width or a precision is an argument.
func widths(format string) (widest int64, star bool) {
	n := int64(0)
	for i, verb := 0, false; i < len(format); i++ {
		switch c := format[i]; {
		case c == '%':
			verb, n = !verb, 0
		case !verb:
		case isDigit(c):
			n = min(n*10+int64(c-'0'), maxWidth+1)
			widest = max(widest, n)
		case c == '*':
			star = true
		case strings.ContainsRune("+-# .[]", rune(c)):
			n = 0
		default:
			verb = false
		}
	}
	return widest, star
}

// shownName is the function that bounds what an action writes.
const shownName = ownPrefix + "shown"

// shown is a value that is to be written, nothing for none. The language makes the whole text of
// a list before it writes any of it, and that of a mapping which has itself has no end.
func shown(v any) (any, error) {
	switch {
	case v == nil:
		return "", nil
	case !isComposed(v):
		return v, nil
	}
	w := weigher{left: MaxOutput}
	if w.put(reflect.ValueOf(v), 0); w.over() {
		return nil, w.problem("the value that is written")
	}
	return v, nil
}

// bindShown puts shown behind each action that writes.
func bindShown(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 && !calls(n.Pipe.Cmds[0], stepName) {
				n.Pipe.Cmds = append(n.Pipe.Cmds, pipedTo(shownName))
			}
		case *parse.IfNode:
			bindShown(n.List)
			bindShown(n.ElseList)
		case *parse.WithNode:
			bindShown(n.List)
			bindShown(n.ElseList)
		case *parse.RangeNode:
			bindShown(n.List)
			bindShown(n.ElseList)
		}
	}
}
