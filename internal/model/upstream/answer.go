package upstream

import (
	"errors"
	"fmt"

	"belay/internal/model"
)

// ErrTruncated is a stream that ended without its last event.
var ErrTruncated = errors.New("the answer ended without its end marker")

// ProtocolError is an answer that does not follow the protocol.
type ProtocolError struct {
	What string
	Err  error
}

// Error implements error.
func (e *ProtocolError) Error() string { return e.What }

// Unwrap returns the cause.
func (e *ProtocolError) Unwrap() error { return e.Err }

// RequestSizeError is a request over what the service takes, in bytes.
type RequestSizeError struct{ Size, Limit int64 }

// Error implements error.
func (e *RequestSizeError) Error() string {
	return fmt.Sprintf("the request has %d bytes, more than the %d that the provider takes", e.Size, e.Limit)
}

// MaxCalls bounds the tool calls of one answer.
const MaxCalls = 256

// ErrTooManyCalls is an answer with more than that.
var ErrTooManyCalls = fmt.Errorf("the answer has more than %d tool calls", MaxCalls)

// ErrNoCalls is an answer that ended for tool calls and has none. Services have sent such
// answers, and not again when they were asked once more.
var ErrNoCalls = &ProtocolError{What: "the model stopped for tools without calling one"}

// StopReason is a reason that means nothing here, by the service's name for it: it is not
// silently a success. A name that only belay itself may give, as for a budget of the turn,
// would say what is not so; it is "unknown", as is what looks like no name.
func StopReason(name string) model.StopReason {
	switch reason := model.StopReason(TypeName(name)); reason {
	case "", model.StopMaxTurns, model.StopBudget, model.StopRepeats:
		return "unknown"
	default:
		return reason
	}
}

// MaxTokenCount is more tokens than any call takes, and little enough to add up.
const MaxTokenCount = 1 << 40

// TokenCount is a number of tokens as the service counts it, within 0 and
// [MaxTokenCount]: a negative one would give a budget back, and so would a sum that
// overflows.
func TokenCount(n int64) int64 { return min(max(n, 0), MaxTokenCount) }

// lineError is a line of the stream, or an event of several lines, over its cap.
type lineError struct{ most int64 }

func (e *lineError) Error() string {
	return fmt.Sprintf("a line of the answer has more than %d bytes", e.most)
}
