package template

import (
	"reflect"
	"text/template"
	"text/template/parse"
)

// valueName is the function that takes the value of a single expression.
const valueName = ownPrefix + "value"

// maxComposed is how much a list or mapping may weigh that an expression gives, in
// bytes of text.
const maxComposed = 16 * MaxOutput

// expression is the action of a template that is a single one, or nil.
func expression(root *parse.ListNode) *parse.ActionNode {
	if len(root.Nodes) != 1 {
		return nil
	}
	action, ok := root.Nodes[0].(*parse.ActionNode)
	if !ok || len(action.Pipe.Decl) > 0 {
		return nil
	}
	return action
}

// pipedTo is a command that gives what it is piped to one of belay's own functions.
func pipedTo(name string) *parse.CommandNode {
	return &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{parse.NewIdentifier(name)}}
}

// composed evaluates a single expression: to a list or a mapping where it gives one,
// and else to text.
func (t *Template) composed(context map[string]any) (any, error) {
	tmpl, err := t.tmpl.Clone()
	if err != nil {
		return nil, &Error{Problem: err.Error()}
	}
	tree := t.tmpl.Tree.Copy()
	action := expression(tree.Root)
	action.Pipe.Cmds[len(action.Pipe.Cmds)-1] = pipedTo(valueName) // in place of what bounds texts
	if tmpl, err = tmpl.AddParseTree(t.tmpl.Name(), tree); err != nil {
		return nil, &Error{Problem: err.Error()}
	}
	var value any
	functions := template.FuncMap{}
	if t.counted() {
		functions = t.newBudget().functions(t.calls)
	}
	functions[valueName] = func(v any) (any, error) {
		if !isComposed(v) {
			return shown(v)
		}
		w := weigher{left: maxComposed}
		if w.put(reflect.ValueOf(v), 0); w.over() {
			return nil, w.problem("the expression")
		}
		value = plainValue(reflect.ValueOf(v))
		return "", nil
	}
	text, err := t.run(tmpl.Funcs(functions), context)
	if err != nil || value == nil {
		return text, err
	}
	return value, nil
}

func isComposed(v any) bool {
	kind := reflect.ValueOf(v).Kind()
	return kind == reflect.Slice || kind == reflect.Array || kind == reflect.Map
}

// plainValue is a value with lists and mappings of the types that contexts have, anew.
func plainValue(v reflect.Value) any {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Slice, reflect.Array:
		all := make([]any, v.Len())
		for i := range all {
			all[i] = plainValue(v.Index(i))
		}
		return all
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return v.Interface()
		}
		all := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			all[it.Key().String()] = plainValue(it.Value())
		}
		return all
	}
	return v.Interface()
}
