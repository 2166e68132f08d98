package permit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"belay/internal/lazyregexp"
)

// A pattern of a rule is in vain where no call can match it. As a denial it would deny
// nothing, and nobody would notice.
type vainRule struct{ why, next string }

func (e vainRule) Error() string { return e.why + "; " + e.next }

// Parts are the error without its next step, and that step.
func (e vainRule) Parts() (message, hint string) { return e.why, e.next }

// RuleProblem is an error of [ParseRule] or [CheckRule] in words, with what to write instead.
func RuleProblem(err error) (problem, hint string) {
	if vain := (vainRule{}); errors.As(err, &vain) {
		return vain.Parts()
	}
	return err.Error(), "write rules like read, write(docs/**) or bash(go test *)"
}

// vain is the error of the rule.
func (r Rule) vain(why, next string) error {
	return vainRule{fmt.Sprintf("rule %q matches nothing: %s", clip(r.text, 80), why), next}
}

// MCPPrefix is how the names of tools begin that MCP servers offer, and delegatePrefix those
// of agents.
const (
	MCPPrefix      = "mcp."
	delegatePrefix = "agent."
)

var (
	portPattern = lazyregexp.New(`^[0-9*?]{1,5}$`)
	// severalPaths are two patterns beside each other. Names with blanks and commas are none.
	severalPaths = lazyregexp.New(`(\*,|, ).*/|\*\*[, ]`)
	// alternatives are what other patterns mean by braces.
	alternatives = lazyregexp.New(`\{[^{}]*,[^{}]*\}`)
)

// checkPattern refuses a pattern that is in vain for calls of the rule's tool. Those of
// commands are for [CheckRule].
func (r Rule) checkPattern(pattern string) error {
	switch {
	case strings.HasPrefix(r.tool, MCPPrefix):
		return r.vain("the tools of MCP servers have no patterns", "write mcp.SERVER.TOOL, or mcp.SERVER.* for all of them")
	case strings.HasPrefix(r.tool, delegatePrefix):
		return r.vain("a delegation has no pattern", "write agent.NAME, or agent.* for all of them")
	case r.Names(commandTool):
		return nil
	case r.tool == fetchTool || r.tool == NetworkTool:
		if len(r.words) != 1 || strings.Contains(string(r.words[0]), "/") {
			return r.vain("it names no host", "write the host alone, as in "+r.tool+"(example.com)")
		}
	case r.tool == PortsTool:
		if n, err := strconv.Atoi(pattern); !portPattern.MatchString(pattern) || err == nil && n > 65535 {
			return r.vain("it names no port", "write a number, as in ports(3000)")
		}
	case alternatives.MatchString(pattern):
		return r.vain("braces stand for themselves", "write a rule for each of the names")
	case len(pattern) > 1 && strings.IndexByte(`"'`, pattern[0]) >= 0 && pattern[0] == pattern[len(pattern)-1]:
		return r.vain("quotes stand for themselves in a path", "leave them out")
	case severalPaths.MatchString(pattern):
		return r.vain("it is more than one pattern", "write a rule for each")
	case slices.Contains(strings.Split(pattern, "/"), ".."):
		return r.vain("rules are about files in the project, and .. leads out of a folder", "write the path in the project, as in "+r.tool+"(docs/**)")
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		return r.vain("~ stands for itself, and paths are relative to the project", "write the path in the project, as in "+r.tool+"(docs/**)")
	case slices.ContainsFunc(strings.Split(pattern, "/"), func(part string) bool { return part != "**" && strings.Contains(part, "**") }):
		return r.vain("** stands for folders only between slashes", "write **/*.md for such files in all folders, docs/** for all in a folder")
	}
	return nil
}
