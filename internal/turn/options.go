package turn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/session"
)

// OnDisconnect values of [Opts].
const (
	onDisconnectContinue  = "continue"
	onDisconnectInterrupt = "interrupt"
)

// OnQuestion values of [Opts]. Without one nobody is known to attend the turn, and
// its questions have a limit ([Limits.Unattended]).
const (
	// OnQuestionWait lets a question wait until somebody answers.
	OnQuestionWait = "wait"
	// OnQuestionRefuse refuses each call that would have to be asked about.
	OnQuestionRefuse = "refuse"
)

// maxTimeoutMS is a year: anyone who wants no limit leaves the option out.
const maxTimeoutMS = 365 * 24 * int64(time.Hour/time.Millisecond)

// InterruptOnDisconnect reports whether the caller wants the turn to end with
// its own connection.
func (o Opts) InterruptOnDisconnect() bool { return o.OnDisconnect == onDisconnectInterrupt }

// Queues reports whether the turn waits for a session that is busy.
func (o Opts) Queues() bool { return o.OnBusy == onBusyQueue }

// Validate reports every option that is out of range, in one INVALID_REQUEST.
func (o Opts) Validate() error {
	var bad []fault.Problem
	check := func(ok bool, field, rule string) {
		if !ok {
			bad = append(bad, fault.Problem{Field: "opts." + field, Message: rule})
		}
	}
	// Mode and model go on record.
	check(session.GoodName(o.Mode), "mode", session.NameRule)
	check(session.GoodName(o.Model), "model", session.NameRule)
	check(o.MaxTurns == nil || *o.MaxTurns > 0, "maxTurns", "must be a positive integer")
	check(o.MaxTokens == nil || *o.MaxTokens > 0, "maxTokens", "must be a positive integer")
	check(o.MaxCostUSD == nil || *o.MaxCostUSD > 0 && !math.IsInf(*o.MaxCostUSD, 1), "maxCostUsd", "must be a positive number")
	check(o.TimeoutMS == nil || *o.TimeoutMS > 0 && *o.TimeoutMS <= maxTimeoutMS,
		"timeoutMs", fmt.Sprintf("must be an integer from 1 to %d", maxTimeoutMS))
	check(o.OnBusy == "" || o.OnBusy == onBusyReject || o.OnBusy == onBusyQueue,
		"onBusy", `must be "reject" or "queue"`)
	check(o.OnDisconnect == "" || o.OnDisconnect == onDisconnectContinue || o.OnDisconnect == onDisconnectInterrupt,
		"onDisconnect", `must be "continue" or "interrupt"`)
	check(o.OnQuestion == "" || o.OnQuestion == OnQuestionWait || o.OnQuestion == OnQuestionRefuse,
		"onQuestion", `must be "wait" or "refuse"`)
	for _, u := range o.Unknown {
		i := slices.IndexFunc(limiting, func(name string) bool { return folded(name) == folded(u) })
		check(i < 0, fault.Clip(u), "is not known; the option is "+limiting[max(i, 0)])
	}
	return fault.Invalid(bad)
}

// limiting are the options that hold a turn to something. Unknown options are ignored, but one
// of these that is written in another way would let the turn cost or do more than was meant.
var limiting = []string{"maxTurns", "maxTokens", "maxCostUsd", "timeoutMs", "tools", "mode", "onQuestion", "onDisconnect"}

// folded is a name without cases and the marks between words.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}
