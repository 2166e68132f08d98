package declared

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/nearest"
)

// sourcesOf are the fields in which a type takes its source; those of all types
// where it is not known.
func sourcesOf(t Type) []string {
	all := []string{fieldURL, fieldPath, fieldURLs, fieldPaths}
	if t == "" {
		return all
	}
	return slices.DeleteFunc(all, func(f string) bool { return !slices.Contains(accepts[t], f) })
}

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
type misplacement struct{ field, message, hint string }

// misplaced lists the fields of e that a type does not take.
func (e *Entry) misplaced(t Type) []misplacement {
	var all []misplacement
	for _, f := range slices.Concat(e.fields(), e.given) {
		if slices.Contains(accepts[t], f) {
			continue
		}
		hint := ""
		switch {
		case t == TypeFile && (f == fieldURL || f == fieldURLs):
			hint = "a file lies in a folder; use image, pdf, audio or video for what is fetched, or url with fetch: true for a page"
		case t == TypeURL && (f == fieldPath || f == fieldPaths):
			hint = "use type: file"
		}
		all = append(all, misplacement{f, fmt.Sprintf("attachments of type %s take no %s", t, f), hint})
	}
	return all
}

func typeList() string {
	names := make([]string, 0, len(Types())+1)
	for _, t := range Types() {
		names = append(names, string(t))
	}
	return strings.Join(append(names, alias), ", ")
}

func didYouMean(word string) string {
	names := []string{alias}
	for _, t := range Types() {
		names = append(names, string(t))
	}
	if meant := nearest.Of(word, names); meant != "" {
		return "did you mean " + meant + "?"
	}
	return ""
}
