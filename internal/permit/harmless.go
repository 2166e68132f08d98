package permit

import "slices"

// harmless are programs that change nothing, run no other program and reach no other
// machine, whatever they are called with. Rules and answers for a session that are about
// another command of the text cover them too: "cd src && go test ./... | tail". What such
// a program may read is the sandbox's business, and a file that its output goes to is a
// command of its own ("> file").
//
// A name belongs here only if no option of it does more. That leaves out printf, read and
// test, which set or evaluate variables in bash, and sort, which has -o.
var harmless = []string{":", "true", "false", "echo", "pwd", "cd", "exit", "ls", "cat", "head", "tail", "wc", "grep", nameRead}

// harmless reports whether the command needs neither a rule nor an answer of its own.
func (c Command) harmless() bool { return slices.Contains(harmless, program(c)) }

// counting are the parts of a command that an answer for the session is about: those
// that do something, or all where none does.
func (e Effect) counting() (parts []Command) {
	parts = slices.DeleteFunc(slices.Clone(e.Commands), func(c Command) bool { return c.Wraps })
	if active := slices.DeleteFunc(slices.Clone(parts), Command.harmless); len(active) > 0 {
		return active
	}
	return parts
}
