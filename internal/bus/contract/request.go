package contract

import (
	"strings"
	"time"
	"unicode/utf8"

	"belay/internal/attachment/block"
	"belay/internal/fault"
)

// Queue says what a request does where a turn runs in its session already.
type Queue string

// The queues.
const (
	// QueuePrompt begins a turn. It waits in line where one runs.
	QueuePrompt Queue = "prompt"
	// QueueSteer says something into the running turn, at its next tool boundary.
	// Where none runs it is a prompt.
	QueueSteer Queue = "steer"
	// QueueFollowUp says something into the running turn when the model has
	// answered. Where none runs it is a prompt.
	QueueFollowUp Queue = "followUp"
	// QueueInterrupt ends the running turn, or the request that Target names. With
	// a text it then begins a turn of its own, before all that wait in line.
	QueueInterrupt Queue = "interrupt"
)

// RequestMessage asks for work in a session. The request id in the envelope is
// the idempotency key of its turn: it runs once, however often it is delivered.
type RequestMessage struct {
	Queue Queue `json:"queue"`
	// Text is what the agent is asked, with the block of attachments at its end.
	// Only an interrupt may have none.
	Text string `json:"text,omitempty"`
	// Target is the request that an interrupt ends, running or in line; "" is
	// whichever runs in the session.
	Target string `json:"target,omitempty"`
	// Merge says what becomes of a steer or followUp that reaches the model together with
	// others: "" or union joins all of them. With newest the newest of those that say so
	// replaces the others where one of them has files.
	Merge string `json:"merge,omitempty"`
	// Origin says who asks, and where; for records.
	Origin *Origin `json:"origin,omitempty"`
	// Persona, Mode and Model are those of the turn, "" those of its session.
	Persona string `json:"persona,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Model   string `json:"model,omitempty"`
}

// Origin is the person and the message that a request comes from.
type Origin struct {
	Platform  string `json:"platform"`
	ChannelID string `json:"channelId,omitempty"`
	// ParentChannelID is the channel that a thread is in, whose settings it has.
	ParentChannelID string `json:"parentChannelId,omitempty"`
	MessageID       string `json:"messageId,omitempty"`
	UserID          string `json:"userId,omitempty"`
	UserName        string `json:"userName,omitempty"`
}

// State is where a request stands.
type State string

// The states. The last three are final.
const (
	// StateQueued: another turn runs in the session; the request waits in line.
	StateQueued State = "queued"
	// StateRunning: the turn TurnID works on it.
	StateRunning State = "running"
	// StateResolved: it was answered, or, with Into, said into the turn of another
	// request, whose output answers it.
	StateResolved State = "resolved"
	// StateFailed: it ended with Error.
	StateFailed State = "failed"
	// StateCancelled: somebody interrupted it.
	StateCancelled State = "cancelled"
)

// Final reports whether nothing follows s.
func (s State) Final() bool {
	return s == StateResolved || s == StateFailed || s == StateCancelled
}

// LifecycleChanged says where a request stands now. The final state follows the
// last output of the request.
type LifecycleChanged struct {
	State State `json:"state"`
	// TurnID is the turn that works, or worked, on the request.
	TurnID string `json:"turnId,omitempty"`
	// Into is the request whose turn took the message; "" with a TurnID where the
	// turn was begun by another surface.
	Into string `json:"into,omitempty"`
	// Error is why the request failed.
	Error *Failure  `json:"error,omitempty"`
	Time  time.Time `json:"time"`
}

// Failure is an error for people: the type and the sentence of package fault, and
// the next step.
type Failure struct {
	Code    string `json:"type"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Reanchor asks the surface to go on with a request's output in a new message,
// below what people wrote since.
type Reanchor struct {
	// Mode is steer or interrupt.
	Mode Queue `json:"mode"`
	// InheritReplyTo keeps the message that is replied to; else ReplyTo is it, and
	// "" replies to none.
	InheritReplyTo bool   `json:"inheritReplyTo,omitempty"`
	ReplyTo        string `json:"replyTo,omitempty"`
}

func (m *RequestMessage) check(c *checker) {
	one(c, "queue", m.Queue, QueuePrompt, QueueSteer, QueueFollowUp, QueueInterrupt)
	c.text("text", m.Text, MaxText)
	c.that(m.Text != "" || m.Queue == QueueInterrupt, "text", "must not be empty")
	c.that(m.Target == "" || m.Queue == QueueInterrupt, "target", "is for interrupts only")
	if m.Target != "" {
		c.matches("target", m.Target, requestPattern)
	}
	if m.Merge != "" {
		one(c, "merge", block.Policy(m.Merge), block.Union, block.Newest)
	}
	c.text("persona", m.Persona, maxLabel)
	c.text("mode", m.Mode, maxLabel)
	c.text("model", m.Model, maxLabel)
	if o := m.Origin; o != nil {
		c.matches("origin.platform", o.Platform, clientPattern)
		c.text("origin.channelId", o.ChannelID, maxLabel)
		c.text("origin.parentChannelId", o.ParentChannelID, maxLabel)
		c.text("origin.messageId", o.MessageID, maxLabel)
		c.text("origin.userId", o.UserID, maxLabel)
		c.text("origin.userName", o.UserName, maxLabel)
	}
}

func (m *LifecycleChanged) check(c *checker) {
	one(c, "state", m.State, StateQueued, StateRunning, StateResolved, StateFailed, StateCancelled)
	c.text("turnId", m.TurnID, maxLabel)
	if m.Into != "" {
		c.matches("into", m.Into, requestPattern)
	}
	c.that((m.Error != nil) == (m.State == StateFailed), "error", "belongs to the state failed")
	if m.Error != nil {
		m.Error.check(c)
	}
	c.moment("time", m.Time)
}

func (m *Failure) check(c *checker) {
	c.filled("type", m.Code, maxLabel)
	c.text("message", m.Message, maxNote)
	c.text("hint", m.Hint, maxNote)
}

func (m *Reanchor) check(c *checker) {
	one(c, "mode", m.Mode, QueueSteer, QueueInterrupt)
	c.text("replyTo", m.ReplyTo, maxLabel)
	c.that(m.ReplyTo == "" || !m.InheritReplyTo, "replyTo", "must be empty where it is inherited")
}

// FailureOf is err as a message has it.
func FailureOf(err error) *Failure {
	f := fault.From(err)
	return &Failure{Code: string(f.Type), Message: Cut(f.Message, maxNote), Hint: Cut(f.NextStep(), maxNote)}
}

// Fault is m as an error of this process.
func (m *Failure) Fault() *fault.Error {
	return fault.New(fault.Type(m.Code), "%s", m.Message).WithHint("%s", m.Hint)
}

// Cut shortens a text to at most n bytes of whole characters, valid as UTF-8.
func Cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
