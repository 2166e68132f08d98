package finding

import (
	"path/filepath"
	"strings"

	"belay/internal/lazyregexp"
)

// Remedy is a command that is made for findings. It may leave some of them: only running it tells.
type Remedy struct {
	// Command is the words after "belay", "deps summary"; "" is none.
	Command string
	// Document is the decomposition that the command is given, relative to the
	// project, "" for none.
	Document string
}

// Line is the command as a person types it in a shell. The folder is the project as it is
// named there; implied says that the command finds it without --project. Deliverable
// narrows a command that takes one; "" is the whole project.
func (r Remedy) Line(folder string, implied bool, deliverable string) string {
	words := []string{"belay", r.Command}
	if r.Command == "project init" {
		words = append(words, Word(folder), "--decomposition", Word(filepath.Join(folder, filepath.FromSlash(r.Document))))
		return strings.Join(words, " ")
	}
	if !implied {
		words = append(words, "--project", Word(folder))
	}
	if r.Command == "deps summary" && deliverable != "" {
		words = append(words, deliverable)
	}
	if r.Command == "deps summary" || r.Command == "deps renumber" {
		words = append(words, "--write")
	}
	return strings.Join(words, " ")
}

// plainWord is a word that a shell takes as it is.
var plainWord = lazyregexp.New(`^[A-Za-z0-9_./~+:,@%=-]+$`)

// Word is s as one word of a command line.
func Word(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
