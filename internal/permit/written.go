package permit

import (
	"path"
	"slices"
	"strings"
)

// written is the file that a redirection writes, relative to the project, and
// whether that is known; "" for any other command.
func (e Effect) written(c Command) (name string, known bool) {
	if c.Name != nameWrite || len(c.Words) != 2 {
		return "", false
	}
	name = c.Words[1]
	if strings.HasPrefix(name, "/") {
		return path.Clean(name), c.Fixed == 2
	}
	return path.Join(".", e.Dir, name), c.Fixed == 2 && !e.moves() && !strings.HasPrefix(name, "~")
}

// moves reports whether a part of the command changes the working folder.
func (e Effect) moves() bool {
	return slices.ContainsFunc(e.Commands, func(c Command) bool {
		return c.Name == "cd" || c.Name == "pushd" || c.Name == "popd"
	})
}

// Written are the files that a command's redirections write, each once and in the
// order of the text, relative to the project. One that is known only when the command
// runs is there as it is in the text.
func (e Effect) Written() []string {
	var names []string
	for _, c := range e.Commands {
		name, known := e.written(c)
		if name != "" && !known {
			name = c.Words[1]
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
