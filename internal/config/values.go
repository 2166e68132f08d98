package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// text is a string of one line, blank only when it is not needed.
type text struct {
	p      *string
	needed bool
	check  func(string) error
}

func (v text) set(s, _ string) error {
	s = strings.TrimSpace(s)
	if err := oneLine(s); err != nil {
		return err
	}
	if s == "" && v.needed {
		return errors.New("must not be blank")
	}
	if s != "" && v.check != nil {
		if err := v.check(s); err != nil {
			return err
		}
	}
	*v.p = s
	return nil
}

func (text) kind() kind             { return scalarString }
func (v text) String() string       { return *v.p }
func (text) schema() map[string]any { return map[string]any{"type": "string"} }

func oneLine(s string) error {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return errors.New("holds a control character or is not UTF-8")
	}
	return nil
}

// path is a file or folder, made absolute. Blanks at its ends belong to its name: without
// them it would be another folder.
type path struct{ p *string }

func (v path) set(s, base string) error {
	s = strings.Trim(s, "\t\r\n") // of a file's lines
	if err := oneLine(s); err != nil {
		return err
	}
	if strings.TrimSpace(s) == "" {
		*v.p = ""
		return nil
	}
	if !filepath.IsAbs(s) {
		if base == "" {
			return errors.New("is a relative path and there is no folder to start from")
		}
		s = filepath.Join(base, s)
	}
	*v.p = filepath.Clean(s)
	return nil
}

func (path) kind() kind             { return scalarString }
func (v path) String() string       { return *v.p }
func (path) schema() map[string]any { return map[string]any{"type": "string"} }

// choice is one of a few words, in any case. synonyms are accepted beside them.
type choice[T ~string] struct {
	p        *T
	words    []T // from the strictest, where that matters
	synonyms map[string]T
}

func (v choice[T]) set(s, _ string) error {
	w := T(strings.ToLower(strings.TrimSpace(s)))
	if c, ok := v.synonyms[string(w)]; ok {
		w = c
	}
	if !slices.Contains(v.words, w) {
		return fmt.Errorf("%q is not one of %s", s, join(v.words))
	}
	*v.p = w
	return nil
}

func (v choice[T]) tighten(o value) bool {
	other := *o.(choice[T]).p
	if slices.Index(v.words, other) >= slices.Index(v.words, *v.p) {
		return false
	}
	*v.p = other
	return true
}

func (v choice[T]) kind() kind {
	if v.synonyms["true"] != "" {
		return scalarString | scalarBool
	}
	return scalarString
}

func (v choice[T]) String() string { return string(*v.p) }
func (v choice[T]) schema() map[string]any {
	words := slices.Clone(v.words)
	for s := range v.synonyms {
		words = append(words, T(s))
	}
	slices.Sort(words)
	if v.synonyms["true"] != "" { // YAML reads the bare words as booleans
		return map[string]any{"enum": append(anys(words), true, false)}
	}
	return map[string]any{"type": "string", "enum": words}
}

func anys[T any](list []T) []any {
	all := make([]any, len(list))
	for i, e := range list {
		all[i] = e
	}
	return all
}

func join[T ~string](words []T) string {
	s := make([]string, len(words))
	for i, w := range words {
		s[i] = string(w)
	}
	return strings.Join(s, ", ")
}

// boolean is true or false; false is the stricter.
type boolean struct{ p *bool }

func (v boolean) set(s, _ string) error {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true":
		*v.p = true
	case "false":
		*v.p = false
	default:
		return errors.New("is neither true nor false")
	}
	return nil
}

func (v boolean) tighten(o value) bool {
	if !*v.p || *o.(boolean).p {
		return false
	}
	*v.p = false
	return true
}

func (boolean) kind() kind             { return scalarBool }
func (v boolean) String() string       { return strconv.FormatBool(*v.p) }
func (boolean) schema() map[string]any { return map[string]any{"type": "boolean"} }

// separated are the items of a list that is one text. A text of several lines has an item in
// each line, which may have a comma. A line end at the end of the text does not count.
func separated(s string) []string {
	s = strings.TrimRight(s, " \t\r\n")
	if strings.Contains(s, "\n") {
		return strings.Split(strings.TrimPrefix(s, "\n"), "\n")
	}
	return strings.Split(s, ",")
}

// itemsOf are the items of a list that is written as one text.
func itemsOf(s string) []string {
	items := []string{}
	for _, item := range separated(s) {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// list is strings without order or duplicates, sorted.
type list struct {
	p     *[]string
	check func(string) (string, error)
}

func (v list) set(s, _ string) error {
	items := []string{}
	var bad badItems
	for i, item := range separated(s) {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		item, err := v.check(item)
		if err != nil {
			bad = append(bad, badItem{i, err})
			continue
		}
		items = append(items, item)
	}
	if len(bad) > 0 {
		return bad
	}
	slices.Sort(items)
	*v.p = slices.Compact(items)
	return nil
}

// tighten keeps what both lists have.
func (v list) tighten(o value) bool {
	other := *o.(list).p
	both := slices.DeleteFunc(slices.Clone(*v.p), func(s string) bool { return !slices.Contains(other, s) })
	changed := len(both) < len(*v.p)
	*v.p = both
	return changed
}

func (list) kind() kind         { return sequence | scalarString }
func (v list) String() string   { return strings.Join(*v.p, ", ") }
func (v list) listed() []string { return *v.p }
func (list) schema() map[string]any {
	return map[string]any{"type": []string{"array", "string"}, "items": map[string]any{"type": "string"}}
}
