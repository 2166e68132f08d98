package template

import (
	"fmt"
	"reflect"
	"regexp/syntax"
	"strings"
	"text/template"
)

// MaxWork is how much an evaluation may do, in units of about one byte that is looked
// at. The worst that fits takes seconds, whatever is nested in what.
const MaxWork = 64 << 20

// fewCalls is how many calls without a loop are not counted together: each alone is
// held to [MaxWork], and to count costs more than most templates do.
const fewCalls = 8

// budget is what an evaluation may still do.
type budget struct {
	steps int
	work  int64
	// round is what a step takes: it grows with the template, whose body it runs.
	round int64
}

func (t *Template) newBudget() *budget {
	return &budget{steps: MaxSteps, work: MaxWork, round: int64(len(t.text)) / 4}
}

// step fails when loops have run too often.
func (b *budget) step() (string, error) {
	if b.steps--; b.steps < 0 {
		return "", &Error{Problem: fmt.Sprintf("its loops run more than %d times", MaxSteps)}
	}
	return "", b.spend(b.round)
}

func (b *budget) spend(n int64) error {
	if b.work -= n; b.work < 0 {
		return &Error{Problem: "it takes too much work", Hint: "let loops and functions work on less, or have a task do it"}
	}
	return nil
}

// functions are those of a template, counted.
func (b *budget) functions(calls map[string]bool) template.FuncMap {
	own := template.FuncMap{stepName: b.step}
	for name := range calls {
		own[name] = bounded(name, functions().plain[name], b.spend)
	}
	return own
}

// alone is the budget of a single call.
func alone(n int64) error { return (&budget{work: MaxWork}).spend(n) }

// cost is the work of a call.
func cost(name string, args []reflect.Value) int64 {
	sum := 1 + mapped(name, args)*mapEntry
	for _, a := range args {
		sum += size(a)
	}
	switch {
	case name == "uniq" || name == "mustUniq":
		return sum / element * all(args) // it compares each with each
	case name == "has" || name == "mustHas" || name == "without" || name == "mustWithout":
		return all(args) * int64(len(args)) // it compares each with every other argument
	case len(args) > 1 && strings.HasPrefix(strings.ToLower(strings.TrimPrefix(name, "must")), "regex"):
		return sum * states(args[0])
	}
	return sum
}

// all is the work of comparing values, with all that lies in them.
func all(args []reflect.Value) int64 {
	w := weigher{left: MaxOutput, shape: true}
	for _, a := range args {
		w.put(a, 0)
	}
	return w.entries*element + w.texts
}

// element is the work of an element of a list, where that of a byte is 1.
const element = 2

// mapEntry is the work of a new entry of a mapping: about the bytes that it takes. It is
// many times what the entry weighs as text.
const mapEntry = 128

// mapped is how many entries of mappings a function makes at most, known before the call:
// afterwards the memory is gone.
func mapped(name string, args []reflect.Value) int64 {
	switch base := strings.ToLower(strings.TrimPrefix(name, "must")); base {
	case "split":
		return parts(args[1], args[0])
	case "splitn":
		if n := number(args[1]); n >= 0 {
			return min(n, parts(args[2], args[0]))
		}
		return parts(args[2], args[0])
	case "dict":
		return int64(len(args)+1) / 2
	case "pick":
		return int64(len(args)) - 1
	case "omit":
		return int64(entries(args[0]))
	case "merge", "mergeoverwrite":
		w := weigher{left: MaxOutput} // the first one gets copies of what is in the others
		for _, a := range args[1:] {
			w.put(a, 0)
		}
		return w.mapped
	case "deepcopy":
		w := weigher{left: MaxOutput}
		w.put(args[0], 0)
		return w.mapped
	case "fromjson":
		text := bare(args[0]).String()
		return int64(strings.Count(text, "{") + strings.Count(text, ":"))
	}
	return 0
}

// parts is how many parts a text has between separators, at most.
func parts(text, separator reflect.Value) int64 {
	return int64(strings.Count(bare(text).String(), bare(separator).String())) + 1
}

// size is the work of looking at a value, without what is in its elements.
func size(v reflect.Value) int64 {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return int64(v.Len())
	case reflect.Slice, reflect.Array, reflect.Map:
		return int64(v.Len()) * element
	}
	return 0
}

// states is how many places of a pattern a matcher may be in at one character.
func states(pattern reflect.Value) int64 {
	for pattern.Kind() == reflect.Interface {
		pattern = pattern.Elem()
	}
	if pattern.Kind() != reflect.String {
		return 1
	}
	parsed, err := syntax.Parse(pattern.String(), syntax.Perl)
	if err != nil {
		return 1 // the function says it
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 1
	}
	return int64(len(prog.Inst))
}
