package permit

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"unicode"

	"belay/internal/lazyregexp"
	"belay/internal/netguard"
)

// Rule names calls: all of a tool ("read"), or those of a tool that match a
// pattern. What the pattern is compared with depends on what a call does:
//
//   - For a command, with each simple command in its text: "bash(git status *)".
//     Patterns of words are separated by blanks; * and ? stand for characters of
//     one word, and a * at the end for any further words, or none.
//   - For the network, with the host: "fetch(*.example.com)". What commands reach is
//     the tool network's: "network(*.example.com)", "network(example.com:8443)" for a
//     port that is not one of the web's, "network(registries)" for [Registries].
//   - For anything else, with the paths, relative to the project: "write(docs/**)",
//     where * stays within one folder and ** does not. A / at the end stands for all that
//     is in a folder.
//
// In a pattern for commands, quotes and backslashes make characters stand for
// themselves. Tool names are compared without regard to case, and project.* names
// all tools whose names begin so. The zero Rule names nothing.
type Rule struct {
	text    string
	tool    string // lower case
	prefix  bool   // tool is the beginning of names
	bounded bool   // there is a pattern
	words   []glob
	paths   pathPattern
	denied  denial // what it hits as a denial of paths
}

// maxRuleBytes is the longest rule.
const maxRuleBytes = 1000

var ruleTool = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_.-]{0,63}?(?:\.\*)?$`)

// ParseRule reads a rule as people write it.
func ParseRule(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	r := Rule{text: text}
	err := r.parse(text)
	if vain := (vainRule{}); errors.As(err, &vain) {
		return Rule{}, vain // it names the rule
	} else if err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", clip(text, 80), err)
	}
	return r, nil
}

func (r *Rule) parse(text string) error {
	if len(text) > maxRuleBytes {
		return fmt.Errorf("it is longer than %d bytes", maxRuleBytes)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return errors.New("it holds a control character")
	}
	name, rest, bounded := strings.Cut(text, "(")
	name = strings.TrimSpace(name)
	if !ruleTool.MatchString(name) {
		return errors.New(`it must begin with the name of a tool, as "read" or "bash(git status *)" does`)
	}
	r.tool, r.prefix = strings.CutSuffix(strings.ToLower(name), ".*")
	if r.prefix {
		r.tool += "."
	}
	if !bounded {
		return nil
	}
	pattern, closed := strings.CutSuffix(rest, ")")
	if !closed {
		return errors.New("there is no ) at its end")
	}
	if pattern = strings.TrimSpace(pattern); pattern == "" {
		return fmt.Errorf("there is nothing between ( and ); %s alone names every call", name)
	}
	if r.tool == fetchTool || r.tool == NetworkTool {
		pattern = spelledHost(r.tool, pattern)
	}
	words, err := splitPattern(pattern)
	if err != nil {
		return err
	}
	r.bounded, r.words, r.paths = true, words, splitPath(pattern)
	r.denied = newDenial(r.paths)
	return r.checkPattern(pattern)
}

// String is the rule as it was written.
func (r Rule) String() string { return r.text }

// Tool is the name of the tool that the rule is about, in lower case; with .* at
// the end, of all tools whose names begin so.
func (r Rule) Tool() string {
	if r.prefix {
		return r.tool + "*"
	}
	return r.tool
}

// Bounded reports whether the rule names only some of the tool's calls.
func (r Rule) Bounded() bool { return r.bounded }

// MarshalText implements encoding.TextMarshaler.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.text), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Rule) UnmarshalText(text []byte) error {
	parsed, err := ParseRule(string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

// ParseRules reads several rules and reports what is wrong with each.
func ParseRules(texts []string) ([]Rule, error) {
	rules := make([]Rule, 0, len(texts))
	var errs []error
	for _, t := range texts {
		r, err := ParseRule(t)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		rules = append(rules, r)
	}
	return rules, errors.Join(errs...)
}

// spelledHost is the pattern of a host in the spelling that effects have: without the usual
// port, and as [netguard.ParseHost] has it. A pattern for several hosts stays as it is.
func spelledHost(tool, pattern string) string {
	if strings.ContainsAny(pattern, `*?[]{}\'" `) && !strings.HasPrefix(pattern, "[") {
		return pattern
	}
	host, port, err := netguard.ParseHost(pattern)
	if err != nil {
		return pattern
	}
	if port == "443" || tool == NetworkTool && port == "80" {
		return host
	}
	return net.JoinHostPort(host, port)
}

// Names reports whether the rule is about a tool.
func (r Rule) Names(tool string) bool {
	if r.tool == "" || len(tool) < len(r.tool) || !r.prefix && len(tool) != len(r.tool) {
		return false
	}
	return strings.EqualFold(tool[:len(r.tool)], r.tool)
}

// clip shortens s for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
