package permit

import (
	"path"
	"slices"
	"strings"

	"belay/internal/lazyregexp"
)

// maxAlways is how many rules one answer may add.
const maxAlways = 5

// plainPattern is what stands for itself in each kind of pattern.
var plainPattern = lazyregexp.New(`^[A-Za-z0-9_.,:=@%+/-]+(?: [A-Za-z0-9_.,:=@%+/-]+)*$`)

// AlwaysRules are the rules that would have allowed this call without a question, for a
// person who wants to be asked no more: the programs of a command with their subcommands,
// the hosts, the files, or the tool of a program outside. They are nil where no rule may or would do that: calls outside
// the sandbox, files that other programs run by themselves, what leaves the machine, calls
// that the machine cannot confine, ports, and what a rule of permit.ask_before or a hook
// wants asked about.
func (e Effect) AlwaysRules() []Rule {
	if e.alone() || e.contained() && e.Done == nil || len(e.Ports) > 0 || len(e.kinds()) == 0 {
		return nil
	}
	var texts []string
	add := func(tool, pattern string) { texts = append(texts, tool+"("+pattern+")") }
	switch e.Kind {
	case Execute:
		for _, c := range e.counting() {
			if c.Class != strings.Join(c.Words, " ") {
				c.Class += " *"
			}
			add(e.Tool, c.Class)
		}
	case Network:
		for _, h := range e.Hosts {
			add(e.Tool, strings.ToLower(e.hostClass(h)))
		}
	case Write:
		for _, p := range e.Paths {
			add(e.Tool, path.Clean(p))
		}
	case External:
		texts = append(texts, e.Tool)
	default:
		return nil
	}
	slices.Sort(texts)
	if texts = slices.Compact(texts); len(texts) == 0 || len(texts) > maxAlways {
		return nil
	}
	rules := make([]Rule, 0, len(texts))
	for _, text := range texts {
		r, err := ParseRule(text)
		_, pattern, bounded := strings.Cut(strings.TrimSuffix(text, ")"), "(")
		if err != nil || CheckRule("permit.allow", text) != nil || bounded && !plainPattern.MatchString(strings.TrimSuffix(pattern, " *")) {
			return nil
		}
		rules = append(rules, r)
	}
	// What is shown must do what it says.
	if (Policy{Mode: Direct, Allowed: rules}).Judge(e).Outcome != Allow {
		return nil
	}
	return rules
}
