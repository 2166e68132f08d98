package tool

import "context"

// Origin is the call that something comes from.
type Origin struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
	// Agent is the call that started the subagent whose call it is, "" for the
	// turn's own.
	Agent  string `json:"agent,omitempty"`
	CallID string `json:"callId"`
	// ChangeID names the changes of the call while they are not real yet.
	ChangeID string `json:"changeId,omitempty"`
}

type originKey struct{}

// WithOrigin returns a context in which a call runs.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf returns the call that runs in a context, a blank one where there is
// none.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}
