package template

import (
	"slices"
	"text/template/parse"
)

// Needs is which tasks' results a template looks at.
type Needs struct {
	ids []string
	all bool
}

// Tasks are the ids that the template names, in their order.
func (n Needs) Tasks() []string { return n.ids }

// All reports whether the template looks at all tasks, or finds out which ones
// only when it runs: {{ range .tasks }}, {{ toJson . }}, {{ index .tasks .input.id }}.
func (n Needs) All() bool { return n.all }

// Pending reports whether the template has to wait: it looks at a task that is
// not finished, or at tasks that nobody can name yet.
func (n Needs) Pending(finished func(id string) bool) bool {
	return n.all || slices.ContainsFunc(n.ids, func(id string) bool { return !finished(id) })
}

// tasksKey is where the context has the tasks.
const tasksKey = "tasks"

// place is where in the context a value lies, as far as the syntax tells.
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

// walker reads a template's tree: what it looks at, and whether it changes what
// it looks at. It puts a step into each loop, so that no loop is endless.
type walker struct {
	needs          Needs
	paths          [][]string
	changes, loops bool
	vars           map[string]place
	calls          map[string]bool
	called         int
}

// call notes that a function is called.
func (w *walker) call(name string) {
	if w.calls != nil && functions().plain[name] != nil {
		w.calls[name] = true
		w.called++
	}
}

// look notes that the value at p is used.
func (w *walker) look(p place) {
	if p.known && !p.asked && len(p.path) > 0 {
		w.paths = append(w.paths, p.path)
	}
	switch {
	case !p.known:
	case len(p.path) == 0, len(p.path) == 1 && p.path[0] == tasksKey:
		w.needs.all = true
	case p.path[0] == tasksKey && !slices.Contains(w.needs.ids, p.path[1]):
		w.needs.ids = append(w.needs.ids, p.path[1])
	}
}

func (w *walker) list(l *parse.ListNode, dot place) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			w.look(w.pipe(n.Pipe, dot))
		case *parse.IfNode:
			w.look(w.pipe(n.Pipe, dot))
			w.list(n.List, dot)
			w.list(n.ElseList, dot)
		case *parse.WithNode:
			p := w.pipe(n.Pipe, dot)
			w.look(p)
			w.list(n.List, p)
			w.list(n.ElseList, dot)
		case *parse.RangeNode:
			w.look(w.pipe(n.Pipe, dot))
			for _, v := range n.Pipe.Decl {
				w.vars[v.Ident[0]] = place{} // an element
			}
			w.list(n.List, place{})
			w.list(n.ElseList, dot)
			w.loops = true
			n.List.Nodes = slices.Insert(n.List.Nodes, 0, stepNode())
		}
	}
}

// pipe is the place of a pipeline's value.
func (w *walker) pipe(p *parse.PipeNode, dot place) place {
	var value place
	for i, cmd := range p.Cmds {
		if i > 0 {
			w.look(value) // given to the next command
		}
		value = w.command(cmd, dot)
	}
	for _, v := range p.Decl {
		w.look(value)
		name := v.Ident[0]
		if before, ok := w.vars[name]; ok && !slices.Equal(before.path, value.path) {
			w.vars[name] = place{} // one of several
			continue
		}
		w.vars[name] = value
	}
	return value
}

// command is the place of a command's value. A call looks at its arguments, but
// for those that lead on to a part of them.
func (w *walker) command(cmd *parse.CommandNode, dot place) place {
	f, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok {
		p := w.operand(cmd.Args[0], dot)
		for _, arg := range cmd.Args[1:] {
			w.look(w.operand(arg, dot))
		}
		return p
	}
	w.call(f.Ident)
	args := cmd.Args[1:]
	switch f.Ident {
	case fieldName, "index", "get", "hasKey":
		if p, ok := w.part(args, dot); ok {
			p.asked = p.asked || f.Ident == "hasKey"
			return p
		}
	case "set", "unset", "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite":
		w.changes = true
	}
	for _, arg := range args {
		w.look(w.operand(arg, dot))
	}
	return place{}
}

// part is the place that a call with literal keys leads to.
func (w *walker) part(args []parse.Node, dot place) (place, bool) {
	if len(args) < 2 {
		return place{}, false
	}
	keys := make([]string, len(args)-1)
	for i, arg := range args[1:] {
		s, ok := arg.(*parse.StringNode)
		if !ok {
			return place{}, false
		}
		keys[i] = s.Text
	}
	return w.operand(args[0], dot).child(keys...), true
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
