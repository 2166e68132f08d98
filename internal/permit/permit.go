// Package permit decides whether a tool call may run, and lets people decide
// where no rule does.
//
// A tool that has checked its input says what a call would do: an [Effect].
// [Policy.Judge] compares it with the turn's mode and rules and rules that the
// call is allowed, refused, or must be asked about. A question is a file in the
// operator's state folder ([Requests.Post]); the answer is a second file beside it,
// written once, so any process of the operator can give it and only the first one
// counts. What was decided is written to the audit log ([Audit]), each
// line of which carries the hash of the one before it.
//
// The agent is never trusted with authority over itself: nothing in this package
// is reachable by a tool, and files of the project can only make rules tighter.
//
// Contract: turn API REQ-04; architecture, "A decision" and "Security posture";
// the HTTP contract, "modes" and the rows on decisions; workspace 9.5.
package permit

import "slices"

// Mode is how much a turn may do without asking.
type Mode string

// The modes. Any other name acts as [Direct].
const (
	// Direct lets a turn look, and asks about everything else.
	Direct Mode = "direct"
	// AcceptEdits lets it also change project files within its write scope.
	AcceptEdits Mode = "acceptEdits"
	// DontAsk refuses what it would have to ask about.
	DontAsk Mode = "dontAsk"
	// Plan lets a turn look and nothing else.
	Plan Mode = "plan"
)

// Modes are the modes, the one that a turn has without any first.
func Modes() []Mode { return []Mode{Direct, AcceptEdits, DontAsk, Plan} }

// ModeNames are the modes as requests write them.
func ModeNames() []string {
	names := make([]string, len(Modes()))
	for i, m := range Modes() {
		names[i] = string(m)
	}
	return names
}

// ModeOf returns the mode that name stands for, [Direct] for any other name.
func ModeOf(name string) Mode {
	if m := Mode(name); slices.Contains(Modes(), m) {
		return m
	}
	return Direct
}

// Kind is what a call does, at its worst.
type Kind string

// The kinds.
const (
	// Read looks at files of the project or of the session's scratch folder.
	Read Kind = "read"
	// Write changes such files.
	Write Kind = "write"
	// Execute runs a command.
	Execute Kind = "execute"
	// Network reaches another machine.
	Network Kind = "network"
	// Delegate starts another agent.
	Delegate Kind = "delegate"
	// Publish sends files to people on a surface outside this machine.
	Publish Kind = "publish"
	// External has a program outside the sandbox do something, such as an MCP server.
	External Kind = "external"
)

// Command is one simple command of a shell text.
type Command struct {
	// Name is the program as written, without its folder; Words are all words,
	// the name first, with quotes removed. A word that depends on a variable or a
	// substitution is kept as written and makes the command Dynamic.
	Name    string   `json:"name"`
	Words   []string `json:"words"`
	Dynamic bool     `json:"dynamic,omitempty"`
	// Fixed counts the leading words that stand for exactly themselves. The one
	// after them depends on a variable, a substitution, or the files that a
	// pattern finds, and may become any number of words.
	Fixed int `json:"fixed,omitempty"`
	// Wraps is set where this command only runs another, which is listed too:
	// "env" in "env git status". It is allowed when that one is.
	Wraps bool `json:"wraps,omitempty"`
	// Class is what a decision for the session is remembered for: the program,
	// and the subcommand of programs that have them ("git status"). It is empty
	// where the command cannot be distinguished from others.
	Class string `json:"class"`
}

// Outcome is what a policy says of a call.
type Outcome string

// The outcomes.
const (
	Allow  Outcome = "allow"
	Ask    Outcome = "ask"
	Refuse Outcome = "refuse"
)

// Ruling is an outcome with its reason, a sentence for the person and the model.
type Ruling struct {
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"`
	// Rule is the rule that decided, as it was written; "" where the mode did.
	Rule string `json:"rule,omitempty"`
}
