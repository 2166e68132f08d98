package permit

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"belay/internal/lazyregexp"
)

// Limits of what is taken apart; a text beyond them is opaque. The parser calls
// itself for what is nested, so the longest text bounds its stack.
const (
	maxCommandBytes = 32 << 10
	maxCommands     = 256
	maxScripts      = 8 // bash -c inside bash -c
)

// ParseCommand takes a command text apart as bash reads it: the simple commands
// in it in the order of the text, those in pipes, lists, loops, functions,
// substitutions and here-documents as well, and those that env, xargs, find or
// an inner shell would run. Three things that are no commands are listed like
// ones because a decision is as much about them: a redirection to a file as
// "> file", a variable that programs may see as "NAME=value", and arithmetic
// with variables, which can run commands in bash, as "((".
//
// Opaque is set where that cannot be said in full. The error is about a text that is
// no command; it is opaque too.
//
// The answer serves rules and the people who decide. It confines nothing: a
// program does what it likes, and only the sandbox holds it.
func ParseCommand(text string) (cmds []Command, opaque bool, err error) {
	a := &analysis{}
	if err := a.script(text); err != nil {
		return nil, true, fmt.Errorf("read the command: %w", err)
	}
	return a.cmds, a.opaque, nil
}

// ParsePlainCommand is [ParseCommand] for a machine without bash, where a plain shell such
// as dash runs the text. A text that bash and a plain shell read in two ways is opaque.
func ParsePlainCommand(text string) (cmds []Command, opaque bool, err error) {
	cmds, opaque, err = ParseCommand(text)
	plain := &analysis{posix: true}
	if plain.script(text) != nil || plain.opaque || !sameCommands(cmds, plain.cmds) {
		opaque = true
	}
	return cmds, opaque, err
}

// sameCommands reports whether two readings of a text found the same.
func sameCommands(one, other []Command) bool {
	return slices.EqualFunc(one, other, func(x, y Command) bool { return reflect.DeepEqual(x, y) })
}

// analysis gathers what a text would do.
type analysis struct {
	source  string // of the current script
	posix   bool   // read as a plain shell does, such as dash
	scripts int    // how many inner scripts deep it is
	cmds    []Command
	opaque  bool
}

// script adds the commands of a shell text.
func (a *analysis) script(text string) (err error) {
	if strings.ContainsRune(text, 0) {
		return errors.New("it holds a null byte")
	}
	if len(text) > maxCommandBytes {
		a.opaque = true
		return nil
	}
	// Where a line goes on in a comment or in a here-document, the parser and bash
	// take different words for it.
	if strings.Contains(text, "\\\n") && (strings.Contains(text, "#") || strings.Contains(text, "<<")) {
		a.opaque = true
	}
	// The text is a stranger's; should the parser not be up to it, the program
	// must not end.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the parser failed: %v", p)
		}
	}()
	language := syntax.LangBash
	if a.posix {
		language = syntax.LangPOSIX
	}
	file, err := syntax.NewParser(syntax.Variant(language)).Parse(strings.NewReader(text), "")
	if err != nil {
		return err
	}
	outer := a.source
	a.source = text
	syntax.Walk(file, a.visit)
	a.source = outer
	return nil
}

// inner adds the commands of a script inside the script: what eval, trap and a
// shell's -c run.
func (a *analysis) inner(text string) {
	if a.scripts == maxScripts {
		a.opaque = true
		return
	}
	a.scripts++
	if a.script(text) != nil {
		a.opaque = true
	}
	a.scripts--
}

// visit looks at one node of the syntax tree.
func (a *analysis) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Redirect:
		a.redirect(n)
	case *syntax.CallExpr:
		a.call(n)
	case *syntax.DeclClause:
		a.declare(n)
	case *syntax.WordIter:
		a.assigned(n.Name, arg{dynamic: true})
	case *syntax.CoprocClause:
		a.opaque = true // it talks to whatever reads its pipes
	case *syntax.ParamExp:
		a.expansion(n)
	case *syntax.TestClause, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		a.arithmetic(n)
	case *syntax.ArrayElem:
		if n.Index != nil {
			a.arithmetic(n.Index)
		}
	case *syntax.Assign:
		if n.Index != nil {
			a.arithmetic(n.Index)
		}
		if n.Value != nil { // arithmetic would evaluate it: x='a[$(date)]'; echo $((x))
			w := word(a.source, n.Value)
			a.opaque = a.opaque || !w.dynamic && substitutes(w.text)
		}
	}
	return true
}

// add notes a command that a text would run.
func (a *analysis) add(c Command) {
	if len(a.cmds) == maxCommands {
		a.opaque = true
		return
	}
	a.cmds = append(a.cmds, c)
}

// command makes a command of words, the first of which names it.
func command(name string, words []arg) Command {
	c := Command{Name: name, Words: make([]string, 0, len(words))}
	for i, w := range words {
		c.Words = append(c.Words, w.text)
		c.Dynamic = c.Dynamic || w.dynamic
		if w.fixed() && c.Fixed == i {
			c.Fixed++
		}
	}
	return c
}

// call adds a simple command with the variables that are set for it.
func (a *analysis) call(n *syntax.CallExpr) {
	for _, as := range n.Assigns {
		if len(n.Args) == 0 && private.MatchString(as.Name.Value) && !strings.HasSuffix(as.Name.Value, "_proxy") {
			continue // a variable of the script alone
		}
		a.variable(as)
	}
	if len(n.Args) == 0 {
		return
	}
	words := make([]arg, 0, len(n.Args))
	for _, w := range n.Args {
		words = append(words, word(a.source, w))
	}
	a.simple(words)
}

// plainName is what a program's name looks like. Anything else in its place, an
// option that was not understood among it, is not taken for one.
var plainName = lazyregexp.New(`^(?:\[|[A-Za-z0-9_.:+@%/~][A-Za-z0-9_.:+@%/~-]{0,199})$`)

// simple adds the command that words make, and those that it runs in turn.
func (a *analysis) simple(words []arg) {
	name := words[0].text
	if !words[0].fixed() || !plainName.MatchString(name) {
		a.opaque = true
		c := command("", words)
		c.Dynamic, c.Fixed = true, 0
		a.add(c)
		return
	}
	c := command(name[strings.LastIndexByte(name, '/')+1:], words)
	c.Class = classOf(c)
	if strings.Contains(program(c), "/") { // nobody knows what this one is
		a.add(c)
		return
	}
	at := len(a.cmds)
	a.add(c)
	wraps := a.unwrap(c.Name, words)
	if wraps && at < len(a.cmds) {
		a.cmds[at].Wraps = true
	}
}

// systemFolders hold the programs that a bare name means, too.
var systemFolders = []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"}

// program is what a command runs: a bare name for a program of the system, or
// the path as written. A file named git in the project is not git.
func program(c Command) string {
	if len(c.Words) == 0 {
		return c.Name
	}
	if folder := strings.TrimSuffix(c.Words[0], c.Name); slices.Contains(systemFolders, folder) {
		return c.Name
	}
	return c.Words[0]
}
