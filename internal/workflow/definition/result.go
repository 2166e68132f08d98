package definition

import (
	"slices"

	"belay/internal/nearest"
	"belay/internal/template"
)

// result is what is known of a value before a run: which fields it has. The zero value
// is any value.
type result struct {
	// fields are those of a mapping. With closed there are no others.
	fields map[string]result
	closed bool
	// list says that it is a list, text that it is text.
	list, text bool
}

// The results that do not depend on the file.
var (
	anyResult  = result{}
	textResult = result{text: true}
)

// fieldsOf is a mapping with just these fields.
func fieldsOf(fields map[string]result) result { return result{fields: fields, closed: true} }

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
	case Parallel:
		if t.Strategy == Race {
			return anyResult
		}
		members := map[string]result{}
		for _, c := range t.Tasks {
			members[c.ID] = memberResult(c)
		}
		return fieldsOf(members)
	case Collection:
		if t.Strategy == Race {
			return anyResult
		}
		return result{list: true}
	case Composite:
		members := map[string]result{}
		for _, c := range t.Tasks {
			members[c.ID] = memberResult(c)
		}
		return fieldsOf(members)
	case Tool:
		return toolResult(t.Tool)
	case Wait:
		return fieldsOf(map[string]result{"answer": textResult, "note": textResult, "by": textResult})
	case Repeat:
		if t.Each == nil {
			return anyResult
		}
		return fieldsOf(map[string]result{"rounds": anyResult, "output": resultOf(t.Each)})
	}
	return anyResult
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
	if depth > maxResultDepth || slices.ContainsFunc(open, func(word string) bool {
		v, given := source[word]
		return given && !(word == "additionalProperties" && v == false)
	}) {
		return anyResult
	}
	switch source["type"] {
	case "array":
		return result{list: true}
	case "string":
		return textResult
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

// lacks follows a path into a value. It returns how many steps lead somewhere, what is
// wrong with the next one, and the next step; "" where the path may be right.
func (r result) lacks(path []string) (right int, problem, hint string) {
	for i, name := range path {
		switch {
		case r.list:
			return i, "it is a list, which has no field " + quote(name), "go through it with range, or take an entry with index"
		case r.text:
			return i, "it is text, which has no field " + quote(name), ""
		case !r.closed:
			return 0, "", ""
		}
		next, ok := r.fields[name]
		if !ok {
			names := make([]string, 0, len(r.fields))
			for known := range r.fields {
				names = append(names, known)
			}
			slices.Sort(names)
			hint := oneOf(name, names)
			if nearest.Of(name, names) == "" && len(names) > 0 && len(names) <= maxShown {
				hint = "it has " + joined(names)
			}
			return i, "there is no " + quote(name), hint
		}
		r = next
	}
	return 0, "", ""
}

// never reports whether what a path leads to is certainly no truth value.
func (r result) never(path []string) bool {
	for _, name := range path {
		r = r.fields[name]
	}
	return r.list || r.text || r.closed
}
