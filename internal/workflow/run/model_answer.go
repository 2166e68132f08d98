package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"belay/internal/plainjson"
	"belay/internal/workflow/definition"
)

// wanted says to a model what form its answer must have.
func wanted(s *definition.Schema) string {
	if s == nil {
		return ""
	}
	text, err := plainjson.MarshalIndent(s.Source)
	if err != nil {
		return "" // it was read from a file: it can be written
	}
	return "\n\nAnswer with one JSON value that fits this JSON Schema, and with nothing else:\n\n```json\n" + string(text) + "\n```"
}

// repair asks once more.
func repair(problems []string) string {
	return "Your answer cannot be used:\n\n- " + strings.Join(capped(problems), "\n- ") +
		"\n\nAnswer again: with the JSON value alone, as the schema asks for it."
}

// maxProblems bounds the problems that are listed of an answer.
const maxProblems = 20

func capped(problems []string) []string {
	if more := len(problems) - maxProblems; more > 0 {
		return append(problems[:maxProblems:maxProblems], fmt.Sprintf("and %d more", more))
	}
	return problems
}

func brief(problems []string) string { return strings.Join(capped(problems), "; ") }

// read finds the JSON value of an answer and checks it: the whole of it, what a
// code fence holds, or the first object or list in the prose that fits.
func read(text string, s *definition.Schema) (any, []string) {
	var first []string
	for value, err := range candidates(text) {
		problems := problemsOf(value, err, s)
		if problems == nil {
			return value, nil
		}
		if first == nil {
			first = problems
		}
	}
	if first == nil {
		return nil, []string{"there is no JSON in it"}
	}
	return nil, first
}

// problemsOf are those of a value, or of one that cannot be kept.
func problemsOf(value any, err error, s *definition.Schema) []string {
	if err != nil {
		return []string{err.Error()}
	}
	return s.Check(value)
}

// maxCandidates bounds how many places of an answer are tried.
const maxCandidates = 64

// candidates are the JSON values that an answer can mean, the likeliest first. The error is
// that of a value with a number that would be rounded.
func candidates(text string) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		whole := strings.TrimSpace(text)
		if v, err := plainjson.Value([]byte(whole)); isValue(err) {
			yield(v, err)
			return
		}
		for _, fenced := range fences(whole) {
			if v, err := plainjson.Value([]byte(fenced)); isValue(err) && !yield(v, err) {
				return
			}
		}
		tried := 0
		for at := 0; at < len(whole) && tried < maxCandidates; {
			i := strings.IndexAny(whole[at:], "{[")
			if i < 0 {
				return
			}
			at += i
			tried++
			d := json.NewDecoder(strings.NewReader(whole[at:]))
			v, err := plainjson.Next(d)
			if !isValue(err) {
				at++
				continue
			}
			if !yield(v, err) {
				return
			}
			at += int(d.InputOffset())
		}
	}
}

// isValue reports whether there is a JSON value, be it one that cannot be kept.
func isValue(err error) bool {
	inexact := (*plainjson.InexactError)(nil)
	return err == nil || errors.As(err, &inexact)
}

// fences are the contents of a text's code fences.
func fences(text string) (all []string) {
	const mark = "```"
	parts := strings.Split(text, mark)
	for i := 1; i < len(parts)-1; i += 2 {
		_, body, ok := strings.Cut(parts[i], "\n") // after the language's name
		if !ok {
			body = parts[i]
		}
		all = append(all, strings.TrimSpace(body))
	}
	return all
}
