// Package authored reads files that people write, YAML or JSON, strictly: every
// value keeps its place, and what is wrong is reported all at once, each problem with
// its line and column.
//
// [Parse] makes a tree of nodes of a file. A [Shape] is the table of what a mapping
// may have: [Read] holds nodes against it, and [Schema] makes a JSON Schema of it for
// editors, so that both say the same.
package authored

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The limits of a file.
const (
	// MaxBytes is how long it may be.
	MaxBytes = 4 << 20
	// MaxDepth is how deep its values may be nested.
	MaxDepth = 64
	// MaxNodes is how many values it may have, those that aliases repeat counted
	// each time.
	MaxNodes = 200_000
)

// Kind is what a value is.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Int
	Float
	Text
	List
	Map
)

func (k Kind) String() string {
	return [...]string{"nothing", "true or false", "a whole number", "a number", "text", "a list", "a mapping"}[k]
}

// Node is a value in a file.
type Node struct {
	Kind Kind
	// Line and Column are where it begins, from 1, in characters.
	Line, Column int
	// Text is a scalar as the author wrote it, without quotes.
	Text   string
	Items  []*Node // of a list
	Fields []Field // of a mapping, in the author's order; names are unique
}

// Field is an entry of a mapping. Its place is that of its name.
type Field struct {
	Name         string
	Line, Column int
	Value        *Node
}

// Field returns the value of a mapping's field, nil where it has none.
func (n *Node) Field(name string) *Node {
	for i := range n.Fields {
		if n.Fields[i].Name == name {
			return n.Fields[i].Value
		}
	}
	return nil
}

// Child returns a field of a mapping, or the entry of a list that a number names; nil
// where there is none.
func (n *Node) Child(name string) *Node {
	if n.Kind == List {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Items) {
			return n.Items[i]
		}
		return nil
	}
	return n.Field(name)
}

// Problem is something wrong in a file.
type Problem struct {
	// Line and Column are its place; both are 0 where it is the whole file.
	Line, Column int
	// Path leads to the value, as in tasks[2].attachments[0].url; may be empty.
	Path string
	// Message says what is wrong, Hint the next step, or "".
	Message, Hint string
	// Rule is what was broken.
	Rule Rule
}

// Rule is a kind of problem.
type Rule string

// The rules. Of all but the first a JSON Schema knows nothing: a file may break them
// and still be what an editor takes for right.
const (
	// RuleShape says which fields there are, and what they hold.
	RuleShape Rule = "shape"
	// RuleSyntax says that the file is YAML or JSON, and not too large.
	RuleSyntax Rule = "syntax"
	// RuleTemplate says that templates can be read.
	RuleTemplate Rule = "template"
	// RuleCondition says that conditions can be compiled.
	RuleCondition Rule = "condition"
	// RuleReference says that what is named is there.
	RuleReference Rule = "reference"
	// RuleSource says that what is attached is below its folder, or at an address that
	// can be fetched.
	RuleSource Rule = "source"
	// RuleDuplicate says that ids are given once.
	RuleDuplicate Rule = "duplicate"
	// RuleCircle says that tasks do not lead back to themselves.
	RuleCircle Rule = "circle"
	// RuleSchema says that JSON Schemas within the file can be compiled.
	RuleSchema Rule = "schema"
	// RuleRange says how long a length of time may be.
	RuleRange Rule = "range"
	// RuleWritten says how a number is written that stands where text is wanted.
	RuleWritten Rule = "written"
)

func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "%d:%d: ", p.Line, p.Column)
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Error is everything wrong in one file.
type Error struct {
	// Name is the file's.
	Name string
	// Problems are in the file's order, at most [MaxProblems].
	Problems []Problem
	// More is how many others there are.
	More int
}

// MaxProblems is how many problems of one file are reported.
const MaxProblems = 50

func (e *Error) Error() string {
	var lines []string
	for _, p := range e.Problems {
		lines = append(lines, e.Name+":"+p.String())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more problems", e.Name, e.More))
	}
	return strings.Join(lines, "\n")
}

// Report gathers the problems of one file. It is for one goroutine.
type Report struct {
	problems []Problem
	seen     map[Problem]bool
	refused  map[*Node]bool // values that nobody is to use
}

// Add notes a problem at n that the schema tells, too; nil is the whole file.
func (r *Report) Add(n *Node, path, hint, format string, args ...any) {
	r.Beyond(RuleShape, n, path, hint, format, args...)
}

// Beyond notes a problem that breaks a rule.
func (r *Report) Beyond(rule Rule, n *Node, path, hint, format string, args ...any) {
	p := Problem{Rule: rule, Path: path, Hint: hint, Message: fmt.Sprintf(format, args...)}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	r.add(p)
}

// refuse notes that a value is not to be used.
func (r *Report) refuse(n *Node) {
	if r.refused == nil {
		r.refused = map[*Node]bool{}
	}
	r.refused[n] = true
}

func (r *Report) add(p Problem) {
	p.Rule = cmp.Or(p.Rule, RuleShape)
	if r.seen[p] {
		return // an alias repeats its problems
	}
	if r.seen == nil {
		r.seen = map[Problem]bool{}
	}
	r.seen[p] = true
	r.problems = append(r.problems, p)
}

// Empty reports whether nothing is wrong so far.
func (r *Report) Empty() bool { return len(r.problems) == 0 }

// Err is what was found, an [*Error], or nil.
func (r *Report) Err(name string) error {
	if r.Empty() {
		return nil
	}
	all := slices.Clone(r.problems)
	slices.SortStableFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	n := min(len(all), MaxProblems)
	return &Error{Name: name, Problems: all[:n], More: len(all) - n}
}
