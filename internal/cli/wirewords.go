package cli

import (
	"errors"
	"io/fs"
	"strings"

	"belay/internal/fault"
)

// flagWords puts flags and plain words for the members of a request, by which
// errors from the packages below name what is wrong.
var flagWords = terms{
	{"opts.maxTurns", "--max-turns"}, {"opts.maxTokens, turn.max_tokens", "turn.max_tokens"}, {"opts.maxTokens", "turn.max_tokens"},
	{"opts.maxCostUsd", "--max-cost"}, {"opts.timeoutMs", "--timeout"}, {"opts.mode", "--mode"}, {"opts.model", "--model"},
	{"opts.persona", "--persona"}, {"opts.tools", "--tools"}, {"decompositionPath", "--decomposition"},
	{"coordinationMode", "--coordination"}, {"executionRoot", "DIR"}, {"projectName", "--name"}, {"toolRoot", "TOOL_ROOT"},
	{"approvalSha", "--approval"}, {"projectRoot", "the project folder"}, {"deliverablePath", "the deliverable's folder"},
	{"sessionId", "the session"}, {"turnId", "the turn"}, {"decisionId", "the question"}, {"runId", "the run"},
	{"GET /api/project/proposals", "belay deps proposals"}, {`--wait or opts.onQuestion "wait"`, "--wait"},
}

// namingFile puts the flag, and the file that it names, for the field of a request that a
// message begins with. Some of these fields are words of any sentence.
func namingFile(f *fault.Error, message string) string {
	field, _ := f.Details["field"].(string)
	rest, ok := strings.CutPrefix(message, field+" ")
	if !ok {
		return message
	}
	switch field {
	case "label":
		return "LABEL " + rest
	case "from":
		if at := (*fs.PathError)(nil); errors.As(f.Cause, &at) {
			return "--from " + line(at.Path) + " " + rest
		}
		return "--from " + rest
	case "decompositionPath":
		if file, _ := f.Details[field].(string); file != "" {
			return "--decomposition " + line(file) + " " + rest
		}
	}
	return message
}

// terms are words and what stands for them on a command line.
type terms [][2]string

// Replace replaces them in a sentence. What is a part of a longer word or of a path
// stays.
func (t terms) Replace(s string) string {
	for _, term := range t {
		s = replaceWord(s, term[0], term[1])
	}
	return s
}

func replaceWord(s, word, by string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, word)
		if i < 0 {
			return b.String() + s
		}
		end := i + len(word)
		alone := (i == 0 || strings.ContainsRune(" (\"'", rune(s[i-1]))) && (end == len(s) || strings.ContainsRune(" ,;:)\"'[", rune(s[end])))
		b.WriteString(s[:i])
		if alone {
			b.WriteString(by)
		} else {
			b.WriteString(word)
		}
		s = s[end:]
	}
}

// commandSteps are the next steps of types whose own are worded for HTTP.
var commandSteps = map[fault.Type]string{
	fault.InvalidRequest:         "correct what is named above; --help lists the flags",
	fault.InstructionRootInvalid: "restore what is missing, which belay persona lint lists, or leave --instructions out to use the embedded personas",
	fault.InvalidProjectRoot:     "name the project's folder",
	fault.DeliverableOutside:     "name a deliverable of the project; belay project list shows them",
	fault.InvalidStatusFormat:    "correct the file by hand; belay project validate says what is missing",
	fault.ApprovalSHARequired:    "name the commit with --approval, by 7 to 64 hex digits of its id",
	fault.InvalidApprovalSHA:     "commit what is approved, and give that commit's id with --approval",
	fault.Forbidden:              "use the address and the token of the server's operator",
	fault.NotFound:               "check the name that you gave",
	fault.MethodNotAllowed:       "the server is of another version than this program; use the same one for both",
	fault.RequestTooLarge:        "make it smaller, long text by attaching it as a file, or raise the setting that is named",
	fault.IdempotencyConflict:    "send it again as a new message",
	fault.TurnTimeout:            "raise --timeout, or turn.wall_limit in the configuration",
	fault.InvalidWorkflow:        "correct what is named above",
}
