package permit

import (
	"cmp"
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

// The tools whose rules are about files, whichever tool reads or changes them.
const (
	readTool  = "read"
	writeTool = "write"
)

// Other tools that rules know by name.
const (
	commandTool = "bash"
	fetchTool   = "fetch"
)

// denies reports whether a deny rule hits the call: any part of it is enough. A rule of write
// is about all changes of files. One of read with a pattern is about all that shows what is in them.
func (r Rule) denies(e Effect) fit {
	ofFiles := r.Names(writeTool) && e.Kind == Write || r.bounded && r.Names(readTool) && (e.Kind == Read || e.Kind == Publish)
	switch {
	case e.Kind == Execute && r.Names(writeTool):
		return r.deniesWrites(e)
	case e.Kind == Execute && r.Names(readTool):
		return r.deniesReads(e)
	case len(e.Ports) > 0 && r.Names(PortsTool):
		return r.deniesPorts(e)
	case !ofFiles && !r.Names(e.Tool):
		return none
	case !r.bounded:
		return certain
	case e.Kind == Execute:
		return r.deniesCommand(e)
	case e.Kind == Network:
		if slices.ContainsFunc(e.Hosts, r.host) {
			return certain
		}
	case r.hits(e):
		return certain
	}
	return none
}

// deniesCommand compares a rule about commands with each of them.
func (r Rule) deniesCommand(e Effect) fit {
	if e.Job != "" {
		return none // it runs nothing that did not run before
	}
	most := none
	if e.Opaque || len(e.Commands) == 0 {
		most = possible
	}
	for _, c := range e.Commands {
		most = max(most, r.command(c, true))
		if plain, ok := c.withoutOptions(); ok {
			most = max(most, r.command(plain, true))
		}
	}
	return most
}

// hits reports whether a rule about files names one of those of a call.
func (r Rule) hits(e Effect) bool {
	if e.Folder && r.bounded && r.Names(readTool) {
		return slices.ContainsFunc(slices.Concat(e.Touched, e.Paths), r.denied.closes)
	}
	return !r.bounded || slices.ContainsFunc(slices.Concat(e.Touched, e.Paths), r.denied.denies)
}

// deniesWrites compares a rule about files with what a command has changed, or, before it ran,
// with what its redirections write.
func (r Rule) deniesWrites(e Effect) fit {
	if e.Done != nil {
		switch {
		case r.hits(e):
			return certain
		case slices.ContainsFunc(e.Whole, r.denied.mayDeny):
			return possible
		}
		return none
	}
	most := none
	for _, c := range e.Commands {
		name, known := e.written(c)
		switch {
		case name == "":
		case !r.bounded, known && r.denied.denies(name):
			return certain
		case !known:
			most = possible
		}
	}
	return most
}

// deniesReads compares a rule about files with the words of a command. One that names a file
// may read it. It is a help for the person, and holds nothing: a command sees the whole project.
func (r Rule) deniesReads(e Effect) fit {
	for _, c := range e.Commands {
		if r.bounded && slices.ContainsFunc(c.Words[min(1, len(c.Words)):], func(word string) bool { return r.deniesWord(e, word) }) {
			return possible
		}
	}
	return none
}

// deniesWord compares a rule about files with a word as a path. Packages of Go are named as ./...,
// and that is the folder.
func (r Rule) deniesWord(e Effect, word string) bool {
	word, packages := strings.CutSuffix(word, "...")
	name, folder := path.Join(".", e.Dir, word), packages || strings.HasSuffix(word, "/")
	if path.IsAbs(word) {
		name = path.Clean(word)
		if rel, ok := strings.CutPrefix(name+"/", strings.TrimSuffix(e.Project, "/")+"/"); ok && e.Project != "" {
			name = path.Clean(rel)
		}
	}
	switch {
	case name == ".." || strings.HasPrefix(name, "../"):
		return false
	case folder:
		return r.denied.closes(name)
	}
	return r.denied.denies(name)
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
		first = cmp.Or(first, rule)
	}
	return first
}

// allowsPart returns the rule that allows one command of a text.
func (p Policy) allowsPart(e Effect, c Command) string {
	for _, r := range p.Allowed {
		if r.Names(e.Tool) && r.command(c, false) == certain {
			return r.text
		}
		if name, known := e.written(c); known && r.Names(writeTool) && !outside(name) && (!r.bounded || r.paths.match(name)) {
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
	return len(e.Paths) > 0 && !slices.ContainsFunc(e.Paths, func(p string) bool { return !r.paths.match(p) })
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
