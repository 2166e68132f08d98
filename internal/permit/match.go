package permit

import (
	"path"
	"slices"
	"strings"
)

// fit says how surely a call is one that a rule names.
type fit int

const (
	none     fit = iota
	possible     // it depends on what is known only when the command runs
	certain
)

// denies reports whether a deny rule hits the call: any part of it is enough.
func (r Rule) denies(e Effect) fit {
	if e.Kind == Execute && r.Names(writeTool) {
		return r.deniesWrites(e)
	}
	if len(e.Ports) > 0 && r.Names(PortsTool) {
		return r.deniesPorts(e)
	}
	if !r.Names(e.Tool) {
		return none
	}
	if !r.bounded {
		return certain
	}
	switch e.Kind {
	case Execute:
		if e.Job != "" {
			return none // it runs nothing that did not run before
		}
		most := none
		if e.Opaque || len(e.Commands) == 0 {
			most = possible
		}
		for _, c := range e.Commands {
			most = max(most, r.command(c, true))
		}
		return most
	case Network:
		if slices.ContainsFunc(e.Hosts, r.host) {
			return certain
		}
	default:
		if slices.ContainsFunc(e.Paths, func(p string) bool { return r.paths.match(p, true) }) {
			return certain
		}
	}
	return none
}

// writeTool is the tool whose rules are about files that commands write too.
const writeTool = "write"

// deniesWrites compares a rule about files with what a command's redirections
// write.
func (r Rule) deniesWrites(e Effect) fit {
	most := none
	for _, c := range e.Commands {
		name, known := e.written(c)
		switch {
		case name == "":
		case !r.bounded, known && r.paths.match(name, true):
			return certain
		case !known:
			most = possible
		}
	}
	return most
}

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

// allows returns the rule that allows the whole call, "" where none does. For a
// command every part must be allowed, by a rule or because it is harmless beside one
// that is; of a command outside the sandbox no part is harmless. The first rule is
// named.
func (p Policy) allows(e Effect) string {
	if len(p.Allowed) == 0 {
		return ""
	}
	for _, r := range p.Allowed {
		if r.Names(e.Tool) && (!r.bounded || e.Kind != Execute && r.covers(e)) {
			return r.text
		}
	}
	if e.Kind != Execute || e.Opaque {
		return ""
	}
	first := ""
	for _, c := range e.Commands {
		if c.Wraps {
			continue // the command that it runs is listed
		}
		rule := p.allowsPart(e, c)
		if rule == "" && (e.Outside || !c.harmless()) {
			return ""
		}
		if first == "" {
			first = rule
		}
	}
	return first
}

// allowsPart returns the rule that allows one command of a text.
func (p Policy) allowsPart(e Effect, c Command) string {
	for _, r := range p.Allowed {
		if r.Names(e.Tool) && r.command(c, false) == certain {
			return r.text
		}
		if name, known := e.written(c); known && r.Names(writeTool) && !outside(name) && (!r.bounded || r.paths.match(name, false)) {
			return r.text
		}
	}
	return ""
}

// outside reports whether a cleaned path is not below the project.
func outside(name string) bool {
	return strings.HasPrefix(name, "/") || name == ".." || strings.HasPrefix(name, "../")
}

// covers reports whether the rule's pattern fits all that a call touches.
func (r Rule) covers(e Effect) bool {
	if e.Kind == Network {
		return len(e.Hosts) > 0 && !slices.ContainsFunc(e.Hosts, func(h string) bool { return !r.host(h) })
	}
	return len(e.Paths) > 0 && !slices.ContainsFunc(e.Paths, func(p string) bool { return !r.paths.match(p, false) })
}

// host compares a host with the pattern.
func (r Rule) host(h string) bool {
	if r.tool == NetworkTool && len(r.words) == 1 && r.words[0] == registries {
		return slices.Contains(Registries, h)
	}
	return len(r.words) == 1 && r.words[0].match(strings.TrimSuffix(h, "."), true)
}

// command compares a command with the pattern, word by word. A denial goes by the
// program's name wherever it is, and by no case of letters, since some file
// systems know none.
func (r Rule) command(c Command, deny bool) fit {
	if len(r.words) == 0 || len(c.Words) == 0 {
		return none
	}
	for i, p := range r.words {
		if p.rest() && i == len(r.words)-1 {
			return certain
		}
		if i >= c.Fixed { // from here on it may become any words
			if c.Fixed < len(c.Words) {
				return possible
			}
			return none
		}
		if !r.wordFits(p, c, i, deny) {
			return none
		}
	}
	switch {
	case len(c.Words) == len(r.words):
		return certain
	case c.Fixed <= len(r.words):
		return possible // what is left over may become nothing
	}
	return none
}

func (r Rule) wordFits(p glob, c Command, i int, deny bool) bool {
	if i > 0 {
		return p.match(c.Words[i], false)
	}
	return p.match(program(c), deny) || deny && c.Name != "" && p.match(c.Name, true)
}
