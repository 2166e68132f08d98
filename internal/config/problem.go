package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Problem is one thing that is wrong with the configuration.
type Problem struct {
	// Where is "file:line:column", "env NAME" or "flag --name".
	Where string `json:"where"`
	// Key is the setting it is about, "" when it is about a whole file.
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
	// Hint is the next step, or "".
	Hint string `json:"hint,omitempty"`
}

// String is the problem in one line, without its hint.
func (p Problem) String() string {
	parts := slices.DeleteFunc([]string{p.Where, p.Key, p.Message}, func(part string) bool { return part == "" })
	return strings.Join(parts, ": ")
}

// Error is every problem of a configuration, in the order of the layers and of
// the lines in them. It is never empty.
type Error struct{ Problems []Problem }

// Error lists the problems, one line each.
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	if len(e.Problems) > 1 {
		lines = append(lines, fmt.Sprintf("the configuration has %d problems", len(e.Problems)))
	}
	for _, p := range e.Problems {
		line := p.String()
		if p.Hint != "" {
			line += " (" + p.Hint + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// stepError is an error with the next step.
type stepError struct{ message, next string }

func (e stepError) Error() string { return e.message + "; " + e.next }

// Parts are the error without its next step, and that step.
func (e stepError) Parts() (message, hint string) { return e.message, e.next }

// parts are an error without its next step, and that step where the error has one.
func parts(err error) (message, hint string) {
	if e := (interface{ Parts() (message, hint string) })(nil); errors.As(err, &e) {
		return e.Parts()
	}
	return err.Error(), ""
}

// badItem is what is wrong with an item of a list.
type badItem struct {
	at  int
	err error
}

// badItems are the errors of a list, so that each is reported at its own place.
type badItems []badItem

func (e badItems) Error() string { return inOneLine(e, func(bad badItem) error { return bad.err }) }

// badNode is what is wrong at a place of a file. The path leads there from the setting.
type badNode struct {
	at   *yaml.Node
	path string
	err  error
}

// badNodes are the errors of a mapping, so that each is reported at its own place.
type badNodes []badNode

func (e badNodes) Error() string {
	return inOneLine(e, func(bad badNode) error {
		message, hint := bad.parts()
		if hint != "" {
			message += "; " + hint
		}
		return errors.New(message)
	})
}

// add takes an error; nil is none.
func (e *badNodes) add(at *yaml.Node, path string, err error) {
	if err != nil {
		*e = append(*e, badNode{at, path, err})
	}
}

// at reports whether one of these fields is wrong.
func (e badNodes) at(fields ...string) bool {
	return slices.ContainsFunc(e, func(bad badNode) bool { return slices.Contains(fields, bad.path) })
}

// parts are the error with its path, and the next step where it has one.
func (n badNode) parts() (message, hint string) {
	if message, hint = parts(n.err); n.path != "" {
		message = n.path + ": " + message
	}
	return message, hint
}

// inOneLine are the texts of errors in one line.
func inOneLine[E ~[]T, T any](all E, of func(T) error) string {
	texts := make([]string, len(all))
	for i, bad := range all {
		texts[i] = of(bad).Error()
	}
	return strings.Join(texts, "; ")
}
