package template

import (
	"slices"
	"text/template/parse"
)

// walker reads a template's tree: what it looks at, and whether it changes what
// it looks at. It puts a step into each loop, so that no loop is endless.
type walker struct {
	needs          Needs
	paths          [][]string
	changes, loops bool
	// branches is how many conditions there are around what is read.
	branches int
	vars     map[string]place
	calls    map[string]bool
	called   int
	// wrong is the first mistake in a literal argument.
	wrong error
	uses  []Use
	// looked are the places of all values that are used, those included that may be missing.
	// named are the variables that are given a value or used.
	looked [][]string
	named  []string
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
	if p.known {
		w.looked = append(w.looked, p.path)
	}
	switch {
	case !p.known:
	case len(p.path) > 1 && p.path[0] == "last":
		w.needs.last = w.needs.last || w.branches == 0 && !p.asked
	case len(p.path) == 0, len(p.path) == 1 && p.path[0] == tasksKey:
		w.needs.all = true
	case p.path[0] == tasksKey:
		id := p.path[1]
		if !slices.Contains(w.needs.ids, id) {
			w.needs.ids = append(w.needs.ids, id)
		}
		if w.branches > 0 || p.asked {
			break
		}
		if !slices.Contains(w.needs.always, id) {
			w.needs.always = append(w.needs.always, id)
		}
		if len(p.path) > 3 && p.path[2] == "output" && !slices.Contains(w.needs.outputs, id) {
			w.needs.outputs = append(w.needs.outputs, id)
		}
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
			w.branch(n.List, dot)
			w.branch(n.ElseList, dot)
		case *parse.WithNode:
			p := w.pipe(n.Pipe, dot)
			w.look(p)
			w.branch(n.List, p)
			w.branch(n.ElseList, dot)
		case *parse.RangeNode:
			over := w.pipe(n.Pipe, dot)
			w.look(over)
			w.use(over, "range", KindList, KindMapping, KindNumber)
			for i, v := range n.Pipe.Decl {
				if w.vars[v.Ident[0]] = (place{}); i == len(n.Pipe.Decl)-1 {
					w.vars[v.Ident[0]] = over.entry()
				}
			}
			w.branch(n.List, over.entry())
			w.branch(n.ElseList, dot)
			w.loops = true
			n.List.Nodes = slices.Insert(n.List.Nodes, 0, stepNode())
		}
	}
}

// branch reads a list that is evaluated only under a condition.
func (w *walker) branch(l *parse.ListNode, dot place) {
	w.branches++
	w.list(l, dot)
	w.branches--
}

// pipe is the place of a pipeline's value.
func (w *walker) pipe(p *parse.PipeNode, dot place) place {
	var value place
	for i, cmd := range p.Cmds {
		if i > 0 {
			w.look(value) // given to the next command
			w.argument(cmd, len(cmd.Args)-1, value)
		}
		if i+1 < len(p.Cmds) && calls(p.Cmds[i+1], "default") {
			mayMiss(cmd)
		}
		value = w.command(cmd, dot)
	}
	for _, v := range p.Decl {
		w.look(value)
		name := v.Ident[0]
		w.named = append(w.named, name)
		if before, ok := w.vars[name]; ok && !slices.Equal(before.path, value.path) {
			w.vars[name] = place{} // one of several
			continue
		}
		w.vars[name] = value
	}
	return value
}

// calls reports whether a command is a call of a function.
func calls(cmd *parse.CommandNode, name string) bool {
	f, ok := cmd.Args[0].(*parse.IdentifierNode)
	return ok && f.Ident == name
}

// mayMiss makes a command that is a path one that may lead nowhere.
func mayMiss(cmd *parse.CommandNode) {
	for len(cmd.Args) == 1 {
		inner, ok := cmd.Args[0].(*parse.PipeNode)
		if !ok || len(inner.Cmds) != 1 || len(inner.Decl) > 0 {
			return
		}
		cmd = inner.Cmds[0]
	}
	if calls(cmd, fieldName) {
		cmd.Args[0] = parse.NewIdentifier(maybeName).SetPos(cmd.Args[0].Position())
	}
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
	w.pattern(f.Ident, args)
	switch f.Ident {
	case "first", "last", "mustFirst", "mustLast":
		if len(args) == 1 {
			if p := w.operand(args[0], dot); p.known && p.entry().known {
				w.argument(cmd, 0, p)
				return p.entry()
			}
		}
	case fieldName, maybeName, "index", "get", "hasKey":
		if p, ok := w.part(args, dot); ok {
			p.asked = p.asked || f.Ident == "hasKey" || f.Ident == maybeName
			return p
		}
	case "and", "or":
		w.branches++ // they stop at the value that decides
		defer func() { w.branches-- }()
	case "set", "unset", "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite":
		w.changes = true
	}
	for i, arg := range args {
		p := w.operand(arg, dot)
		w.look(p)
		w.argument(cmd, i, p)
	}
	return place{}
}
