package scripted

import (
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/model"
)

// The marker texts of the compatible contract (2.1). They are matched in the
// words of the prompt and act in this provider only.
const (
	bootMessage   = "bootstrap"
	bootFailModel = "__BOOT_SDK_FAIL__"

	turnFail     = "TURN_SDK_FAIL_TEST"
	denyMarker   = "UNAPPROVED_DENY_TEST"
	allowMarker  = "UNAPPROVED_ALLOW_TEST"
	holdMarker   = "INTERRUPT_SIGINT_TEST"
	markerTool   = "bash"
	dontAskMode  = "dontAsk"
	holdDuration = 220 * time.Millisecond
)

// markers acts on the first marker that applies, in the contract's order. It
// reports whether the answer goes on.
func (p *Provider) markers(s *speaker, r model.Request, words string) bool {
	switch {
	case r.Model == bootFailModel && words == bootMessage:
		return s.fail(bootFailure())
	case strings.Contains(words, turnFail):
		return s.fail(fault.New(fault.SDKFailure, "the message asked for a failure with %s", turnFail).
			With("marker", turnFail).
			WithHint("send a message without the marker"))
	}
	if r.Mode == dontAskMode {
		switch {
		case strings.Contains(words, denyMarker):
			return deny(s)
		case strings.Contains(words, allowMarker):
			if !s.emit(model.ToolOutcome{Name: markerTool, OK: true, Output: allowMarker + ": the command ran."}) {
				return false
			}
		}
	}
	if strings.Contains(words, holdMarker) {
		return s.wait(holdDuration)
	}
	return true
}

// deny is the whole answer to a tool call that nobody approved: a refused
// outcome and a short text that streams no deltas.
func deny(s *speaker) bool {
	const text = "The command was not run, because it was not approved."
	s.afford(text)
	if !s.emit(model.ToolOutcome{Name: markerTool, Output: "permission denied: the command was not approved"}) ||
		!s.emit(model.Block{Content: model.Text{Text: text}}) {
		return false
	}
	return s.stop(model.StopEndTurn)
}

// bootFailure is what the boot marker asks for.
func bootFailure() error {
	return fault.New(fault.SDKFailure, "the bootstrap step ended with exit code 1").
		With("exitCode", 1).
		WithHint("use another model than %s", bootFailModel)
}
