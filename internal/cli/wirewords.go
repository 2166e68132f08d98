package cli

import (
	"strings"

	"belay/internal/fault"
)

// flagWords puts flags and plain words for the members of a request, by which
// errors from the packages below name what is wrong.
var flagWords = strings.NewReplacer(
	"opts.maxTurns", "--max-turns", "opts.maxTokens", "turn.max_tokens", "opts.maxCostUsd", "--max-cost", "opts.timeoutMs", "--timeout",
	"decompositionPath", "--decomposition", "coordinationMode", "--coordination", "executionRoot", "DIR", "projectName", "--name", "toolRoot", "TOOL_ROOT",
	"approvalSha", "--approval", "opts.mode", "--mode", "opts.model", "--model", "opts.persona", "--persona", "opts.tools", "--tools",
	"deliverablePath lies outside projectRoot", "the deliverable's folder lies outside the project folder",
	"deliverablePath leads out of projectRoot", "the deliverable's folder leads out of the project folder",
	"projectRoot", "the project folder", "deliverablePath", "the deliverable's folder", "sessionId", "the session", "turnId", "the turn",
	"decisionId", "the question", "runId", "the run", "GET /api/project/proposals", "belay deps proposals",
)

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
	fault.RequestTooLarge:        "attach long text as a file",
	fault.IdempotencyConflict:    "send it again as a new message",
	fault.TurnTimeout:            "raise --timeout, or turn.wall_limit in the configuration",
	fault.InvalidWorkflow:        "correct what is named above",
}
