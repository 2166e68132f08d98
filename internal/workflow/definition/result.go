package definition

import (
	"maps"
	"slices"
	"strings"

	"belay/internal/nearest"
	"belay/internal/template"
)

// result is what is known of a value before a run. The zero value is any value.
type result struct {
	// fields are those of a mapping. With closed there are no others.
	fields map[string]result
	closed bool
	// kind is what it is if it is no mapping, "" where that is not known; each is what is
	// known of the entries of a list.
	kind string
	each *result
}

// The kinds of results that have no fields.
const (
	isList   = "a list"
	isText   = "text"
	isNumber = "a number"
	isTruth  = "true or false"
)

// The results that do not depend on the file.
var (
	anyResult    = result{}
	textResult   = result{kind: isText}
	numberResult = result{kind: isNumber}
)

// fieldsOf is a mapping with just these fields.
func fieldsOf(fields map[string]result) result { return result{fields: fields, closed: true} }

// is says what the value certainly is, "" where that is not known.
func (r result) is() string {
	if r.closed {
		return "a mapping"
	}
	return r.kind
}

// resultOf is what is known of a task's output.
func resultOf(t *Task) result {
	if t.Outputs != nil {
		return treeResult(t.Outputs)
	}
	return rawResult(t)
}

// rawResult is resultOf before the task's outputs replace it.
func rawResult(t *Task) result {
	switch t.Kind {
	case Basic:
		if t.Agent == nil || t.Action == nil && t.At.Field("action") != nil {
			return anyResult // what it names is not there
		}
		schema := t.Output
		if t.Action != nil && t.Action.Output != nil {
			schema = t.Action.Output
		}
		if schema == nil {
			return fieldsOf(map[string]result{"response": textResult})
		}
		return schemaResult(schema.Source, 0)
	case Router:
		return fieldsOf(map[string]result{"condition": textResult, "route_taken": textResult, "router_type": textResult})
	case Parallel, Composite:
		if t.Strategy == Race {
			return eitherOf(t.Tasks)
		}
		members := map[string]result{}
		for _, c := range t.Tasks {
			members[c.ID] = memberResult(c)
		}
		return fieldsOf(members)
	case Collection:
		switch {
		case t.Each == nil:
			return anyResult
		case t.Strategy == Race:
			return resultOf(t.Each)
		}
		member := memberResult(t.Each)
		return result{kind: isList, each: &member}
	case Tool:
		return toolResult(t.Tool)
	case Wait:
		return fieldsOf(map[string]result{"answer": textResult, "note": textResult, "by": textResult})
	case Repeat:
		if t.Each == nil {
			return anyResult
		}
		return fieldsOf(map[string]result{"rounds": numberResult, "output": resultOf(t.Each)})
	}
	return anyResult
}

// eitherOf is what is known of the output of one of several tasks.
func eitherOf(tasks []*Task) result {
	if len(tasks) == 0 {
		return anyResult
	}
	fields := map[string]result{}
	for _, t := range tasks {
		one := resultOf(t)
		if !one.closed {
			return anyResult
		}
		for name, r := range one.fields {
			if _, other := fields[name]; other {
				r = anyResult
			}
			fields[name] = r
		}
	}
	return fieldsOf(fields)
}

// memberResult is what a task that holds others says of one of them.
func memberResult(t *Task) result {
	return fieldsOf(map[string]result{"status": textResult, "output": resultOf(t), "error": textResult})
}

// treeResult is what is known of the value of a tree.
func treeResult(t *template.Tree) result {
	names := t.Names()
	if names == nil {
		return anyResult
	}
	fields := map[string]result{}
	for _, name := range names {
		fields[name] = treeResult(t.Field(name))
	}
	return fieldsOf(fields)
}

// maxResultDepth bounds how deep a schema is looked into.
const maxResultDepth = 20

// schemaResult is what a schema says of a value. A field that the schema does not name
// is mistyped, as an input is ([Schema.Undeclared]).
func schemaResult(source map[string]any, depth int) result {
	if depth > maxResultDepth || isOpen(source) {
		return anyResult
	}
	switch source["type"] {
	case "array":
		r := result{kind: isList}
		if items, ok := source["items"].(map[string]any); ok {
			each := schemaResult(items, depth+1)
			r.each = &each
		}
		return r
	case "string":
		return textResult
	case "integer", "number":
		return numberResult
	case "boolean":
		return result{kind: isTruth}
	}
	properties, ok := source["properties"].(map[string]any)
	if !ok {
		return anyResult
	}
	fields := map[string]result{}
	for name, p := range properties {
		fields[name] = anyResult
		if property, ok := p.(map[string]any); ok {
			fields[name] = schemaResult(property, depth+1)
		}
	}
	required, _ := source["required"].([]any)
	for _, r := range required {
		if name, ok := r.(string); ok {
			if _, known := fields[name]; !known {
				fields[name] = anyResult
			}
		}
	}
	return fieldsOf(fields)
}

// isEntry reports whether a step of a path leads to an entry of a list: .tasks.a.output.0.
func isEntry(name string) bool {
	return name == template.Entry || name != "" && strings.Trim(name, "0123456789") == ""
}

// lacks follows a path into a value. It returns how many steps lead somewhere, what is
// wrong with the next one, and the next step; "" where the path may be right.
func (r result) lacks(path []string) (right int, problem, hint string) {
	for i, name := range path {
		switch {
		case r.each != nil && isEntry(name):
			r = *r.each
			continue
		case name == template.Entry || r.kind == isList && isEntry(name): // of a mapping, or of what is not known
			return 0, "", ""
		case r.kind == isList:
			return i, "it is a list, which has no field " + quote(name), "go through it with range, or take an entry with index"
		case r.kind != "":
			return i, "it is " + r.kind + ", which has no field " + quote(name), ""
		case !r.closed:
			return 0, "", ""
		}
		next, ok := r.fields[name]
		if !ok {
			names := slices.Sorted(maps.Keys(r.fields))
			hint := oneOf(name, names)
			if nearest.Of(name, names) == "" && len(names) > 0 && len(names) <= maxShown {
				hint = "it has " + strings.Join(names, ", ")
			}
			return i, "there is no " + quote(name), hint
		}
		r = next
	}
	return 0, "", ""
}
