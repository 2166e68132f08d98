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
	var sum int64 = 1
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
