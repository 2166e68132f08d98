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
