package template

import (
	"reflect"
	"sync"
	"text/template"
	"text/template/parse"
)

// valueName is the function that takes the value of a single expression.
const valueName = "belay_value"

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

// taking is a command that gives what it is piped to the function that takes values.
var taking = sync.OnceValue(func() *parse.CommandNode {
	t := template.Must(template.New("").Funcs(template.FuncMap{valueName: func(v any) any { return v }}).Parse("{{ 1 | " + valueName + " }}"))
	action, _ := t.Root.Nodes[0].(*parse.ActionNode)
	return action.Pipe.Cmds[1]
})

// composed evaluates a single expression: to a list or a mapping where it gives one,
// and else to text.
func (t *Template) composed(context map[string]any) (any, error) {
	tmpl, err := t.tmpl.Clone()
	if err != nil {
		return nil, &Error{Problem: err.Error()}
	}
	tree := t.tmpl.Tree.Copy()
	action := expression(tree.Root)
	action.Pipe.Cmds = append(action.Pipe.Cmds, taking())
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
			return v, nil // written as ever
		}
		if weight(reflect.ValueOf(v), maxComposed) < 0 {
			return nil, tooLong("the expression")
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
