package declared

import (
	"fmt"
	"slices"
	"strings"
)

// fields are the fields in which e gives its sources.
func (e *Entry) fields() []string {
	var names []string
	for _, s := range e.sources {
		if !slices.Contains(names, s.field) {
			names = append(names, s.field)
		}
	}
	return names
}

// misplacement is a field that a type does not take.
type misplacement struct{ message, hint string }

// misplaced lists the fields of e that a type does not take.
func (e *Entry) misplaced(t Type) []misplacement {
	var all []misplacement
	for _, f := range slices.Concat(e.fields(), e.given) {
		if !slices.Contains(accepts[t], f) {
			all = append(all, misplaced(t, f))
		}
	}
	return all
}

// misplaced says that a type does not take a field.
func misplaced(t Type, field string) misplacement {
	m := misplacement{message: fmt.Sprintf("attachments of type %s take no %s", t, field)}
	switch {
	case t == TypeFile && (field == fieldURL || field == fieldURLs):
		m.hint = "a file lies in a folder; use image, pdf, audio or video for what is fetched, or url with fetch: true for a page"
	case t == TypeURL && (field == fieldPath || field == fieldPaths):
		m.hint = "use type: file"
	}
	return m
}

func typeList() string {
	names := make([]string, 0, len(Types())+1)
	for _, t := range Types() {
		names = append(names, string(t))
	}
	return strings.Join(append(names, alias), ", ")
}
