package template

import (
	"slices"
	"text/template/parse"
)

// Foresee evaluates what is certain of a template of which not everything is known yet: its
// parts one after the other, without those that look at a place of the context that is not
// known. The error is one that every evaluation has, and an [*Error].
func (t *Template) Foresee(context map[string]any, known func(path []string) bool) error {
	if t.tmpl == nil || t.changes {
		return nil // a part that is left out may change what another one looks at
	}
	tree := t.tmpl.Tree.Copy()
	parts := slices.DeleteFunc(tree.Root.Nodes, func(n parse.Node) bool { return n.Type() == parse.NodeText })
	tree.Root.Nodes = foreseeable(parts, known)
	switch len(tree.Root.Nodes) {
	case 0:
		return nil
	case len(parts):
		_, err := t.Value(context)
		return err
	}
	tmpl, err := t.tmpl.Clone()
	if err == nil {
		tmpl, err = tmpl.AddParseTree(t.tmpl.Name(), tree)
	}
	if err != nil {
		return &Error{Problem: err.Error()}
	}
	if t.counted() {
		tmpl = tmpl.Funcs(t.newBudget().functions(t.calls))
	}
	_, err = t.run(tmpl, context)
	return err
}

// foreseeable are the parts of a template that look only at what is known. A variable of a
// part that is left out is not known after it.
func foreseeable(parts []parse.Node, known func(path []string) bool) (all []parse.Node) {
	vars, unknown := map[string]place{}, map[string]bool{}
	for _, part := range parts {
		w := walker{vars: vars}
		w.list(&parse.ListNode{NodeType: parse.NodeList, Nodes: []parse.Node{part}}, origin)
		open := w.needs.all || slices.ContainsFunc(w.named, func(name string) bool { return unknown[name] }) ||
			slices.ContainsFunc(w.looked, func(p []string) bool { return len(p) == 0 || !known(p) })
		if !open {
			all = append(all, part)
			continue
		}
		for _, name := range w.named {
			unknown[name] = true
		}
	}
	return all
}
