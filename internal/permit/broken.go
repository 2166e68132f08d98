package permit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"belay/internal/lazyregexp"
)

// Broken says why no shell runs a command text to its end, "" where one may. It is certain:
// of constructs that shells read in different ways, and of mistakes that a shell may never
// come to, it says nothing.
func Broken(text string) (mistake string) {
	defer func() {
		if recover() != nil { // the text is a stranger's, and the parser may not be up to it
			mistake = ""
		}
	}()
	if len(text) > maxCommandBytes || readDifferently.MatchString(text) {
		return ""
	}
	before := 0
	for stmt, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(text)) {
		if err == nil {
			before = int(stmt.End().Offset())
			continue
		}
		var at syntax.ParseError
		if !errors.As(err, &at) || !certainMistake.MatchString(at.Text) || mayEndEarly(text[:before]) {
			return ""
		}
		return fmt.Sprintf("line %d, character %d: %s", at.Pos.Line(), at.Pos.Col(), at.Text)
	}
	return ""
}

var (
	// readDifferently is in texts that this parser may refuse and a shell takes.
	readDifferently = lazyregexp.New("<<|\\[\\[|\\(\\(|[$]\\{|[$]\\[|`|[!@*+?]\\(|\\]\\+?=|\\b(let|declare|typeset|export|local|readonly|nameref|coproc|select|function|time|alias|shopt)\\b")
	// certainMistake are the errors that every shell has.
	certainMistake = lazyregexp.New("^(reached EOF without closing quote|reached EOF without matching `(\\(|[$]\\()` with|`(if|while|until|for|case)[^`]*` statement must end with|`\\)` can only be used to close a subshell|a command can only contain words and redirects; encountered `[()]`)")
)

// mayEndEarly reports whether commands may end their shell with success, so that it never
// comes to the line after them.
func mayEndEarly(text string) bool {
	cmds, opaque, err := ParseCommand(text)
	return opaque || err != nil || slices.ContainsFunc(cmds, func(c Command) bool {
		return c.Dynamic && c.Fixed == 0 || slices.Contains([]string{"exit", "exec", "trap", "return", "eval", "source", ".", "set", "builtin", "command"}, c.Name)
	})
}
