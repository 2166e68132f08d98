package contract

import (
	"reflect"
	"strings"
	"sync"
)

// Streams of the bus, and the places of messages that no stream keeps.
const (
	// StreamRequests is a work queue: a message leaves it when it was dealt with.
	StreamRequests = "BELAY_REQUESTS"
	// StreamOutput holds the output of each request under a subject of its own.
	StreamOutput = "BELAY_OUTPUT"
	// StreamSignals is read by every surface for itself.
	StreamSignals = "BELAY_SIGNALS"
	// StreamDead has evidence of messages that could not be dealt with.
	StreamDead = "BELAY_DEAD"
)

// Scope is the last part of a message's subject.
type Scope int

// The scopes.
const (
	// PerSession subjects end in the session's id.
	PerSession Scope = iota
	// PerRequest subjects end in the ids of the session and the request.
	PerRequest
	// PerClient subjects end in the kind of the surface.
	PerClient
	// Plain subjects end in nothing.
	Plain
	// Reply messages have the subject that their asker chose.
	Reply
)

// Spec describes a message.
type Spec struct {
	Type Type
	// Stream keeps it; "" where a request waits for its reply.
	Stream string
	Scope  Scope
	// Request and Session say that the envelope must name these.
	Request, Session bool
	// MaxBytes is the largest payload.
	MaxBytes int
	// When says in a sentence when it is published.
	When string
	// Sample makes an empty payload.
	Sample func() Payload
}

// prefix begins all subjects, output the subjects of requests.
const (
	prefix = "belay.v1."
	output = prefix + "out."
)

const (
	small  = 32 << 10
	medium = 768 << 10
)

// Specs lists all messages, in the order in which a request meets them.
func Specs() []Spec {
	return []Spec{
		{TypeAdapterMessageCreated, StreamSignals, PerClient, false, false, medium, "A surface saw a message.", func() Payload { return new(AdapterMessageCreated) }},
		{TypeAdapterMessageUpdated, StreamSignals, PerClient, false, false, medium, "Somebody changed a message.", func() Payload { return new(AdapterMessageUpdated) }},
		{TypeAdapterMessageDeleted, StreamSignals, PerClient, false, false, small, "A message is gone.", func() Payload { return new(AdapterMessageDeleted) }},
		{TypeRequestMessage, StreamRequests, PerSession, true, true, medium, "A surface asks for work in a session.", func() Payload { return new(RequestMessage) }},
		{TypeLifecycleChanged, StreamSignals, PerSession, true, true, small, "A request waits, runs or ended; the end follows its last output.", func() Payload { return new(LifecycleChanged) }},
		{TypeReanchor, StreamSignals, PerSession, true, true, small, "A request's output should go on in a new message.", func() Payload { return new(Reanchor) }},
		{TypeTextDelta, StreamOutput, PerRequest, true, true, medium, "A piece of the answer.", func() Payload { return new(TextDelta) }},
		{TypeReasoningDelta, StreamOutput, PerRequest, true, true, medium, "A piece of the model's reasoning.", func() Payload { return new(ReasoningDelta) }},
		{TypeToolCall, StreamOutput, PerRequest, true, true, small, "A tool call began or ended.", func() Payload { return new(ToolCall) }},
		{TypeInputBinary, StreamOutput, PerRequest, true, true, small, "A tool gave the model a file.", func() Payload { return new(InputBinary) }},
		{TypeResponseBinary, StreamOutput, PerRequest, true, true, small, "The agent sends people a file; one message per file.", func() Payload { return new(ResponseBinary) }},
		{TypeWarning, StreamOutput, PerRequest, true, true, medium, "Something that people should know.", func() Payload { return new(Warning) }},
		{TypeResponseText, StreamOutput, PerRequest, true, true, medium, "The whole answer; always last.", func() Payload { return new(ResponseText) }},
		{TypeDecisionOpened, StreamSignals, PerSession, true, true, medium, "A call of a request's turn waits for a person.", func() Payload { return new(DecisionOpened) }},
		{TypeDecisionClosed, StreamSignals, PerSession, true, true, small, "A question was answered, or its time is over.", func() Payload { return new(DecisionClosed) }},
		{TypeDecisionAnswer, "", Plain, false, true, medium, "A person answers a question.", func() Payload { return new(DecisionAnswer) }},
		{TypeDecisionAnswered, "", Reply, false, false, small, "The answer is on record.", func() Payload { return new(DecisionAnswered) }},
		{TypeSessionCreate, "", Plain, false, false, small, "A surface needs a session.", func() Payload { return new(SessionCreate) }},
		{TypeSessionCreated, "", Reply, false, false, small, "The new session.", func() Payload { return new(SessionCreated) }},
		{TypeSessionStatus, "", Plain, false, true, small, "A surface asks what happens in a session.", func() Payload { return new(SessionStatus) }},
		{TypeSessionState, "", Reply, false, false, medium, "What happens in the session.", func() Payload { return new(SessionState) }},
		{TypeSessionList, "", Plain, false, false, small, "A surface lists sessions.", func() Payload { return new(SessionList) }},
		{TypeSessionPage, "", Reply, false, false, medium, "The sessions.", func() Payload { return new(SessionPage) }},
		{TypePersonaList, "", Plain, false, false, small, "A surface lists personas.", func() Payload { return new(PersonaList) }},
		{TypePersonas, "", Reply, false, false, medium, "The personas.", func() Payload { return new(Personas) }},
		{TypeBlobCopy, "", Plain, false, true, small, "A surface needs the bytes of a file and cannot read the state folder.", func() Payload { return new(BlobCopy) }},
		{TypeBlobCopied, "", Reply, false, false, small, "The object store has the bytes.", func() Payload { return new(BlobCopied) }},
		{TypeBlobRelease, "", Plain, false, false, small, "The surface has read them.", func() Payload { return new(BlobRelease) }},
		{TypeBlobReleased, "", Reply, false, false, small, "The release is noted.", func() Payload { return new(BlobReleased) }},
		{TypeLinkRenew, "", PerClient, false, false, small, "The address of a person's file has expired; a surface of the kind answers.", func() Payload { return new(LinkRenew) }},
		{TypeLinkRenewed, "", Reply, false, false, small, "The present address.", func() Payload { return new(LinkRenewed) }},
		{TypeFailure, "", Reply, false, false, small, "A request could not be answered; says why.", func() Payload { return new(Failure) }},
	}
}

var specs = func() map[Type]Spec {
	m := make(map[Type]Spec)
	for _, s := range Specs() {
		m[s.Type] = s
	}
	return m
}()

// types are the messages by the Go types of their payloads.
var types = sync.OnceValue(func() map[reflect.Type]Type {
	m := make(map[reflect.Type]Type)
	for t, s := range specs {
		m[reflect.TypeOf(s.Sample())] = t
	}
	return m
})

// TypeOf is the name of the message with that payload.
func TypeOf(p Payload) Type { return types()[reflect.TypeOf(p)] }

// Filter is the subject under which all messages of s are, for consumers; "" for
// replies.
func (s Spec) Filter() string {
	switch s.Scope {
	case PerRequest:
		return output + "*.*"
	case Plain:
		return prefix + string(s.Type)
	case Reply:
		return ""
	default:
		return prefix + string(s.Type) + ".*"
	}
}

// Pattern is the subject with names for what differs, for people; "" for replies.
func (s Spec) Pattern() string {
	return s.Subject(Envelope{Session: "<session>", Request: "<request>", Client: "<client>"})
}

// Subject is that of a message of s, "" for replies.
func (s Spec) Subject(e Envelope) string {
	switch s.Scope {
	case PerSession:
		return prefix + string(s.Type) + "." + e.Session
	case PerRequest:
		return OutputSubject(e.Session, e.Request)
	case PerClient:
		return prefix + string(s.Type) + "." + e.Client
	case Plain:
		return prefix + string(s.Type)
	default:
		return ""
	}
}

// OutputSubject is the subject of a request's output.
func OutputSubject(session, request string) string { return output + session + "." + request }

// Subjects are the subjects of a stream.
func Subjects(stream string) []string {
	var list []string
	for _, s := range Specs() {
		if f := s.Filter(); s.Stream == stream && (len(list) == 0 || list[len(list)-1] != f) {
			list = append(list, f)
		}
	}
	return list
}

// SubjectsOf are the subjects of a stream's messages of a session.
func SubjectsOf(stream, session string) []string {
	var list []string
	for _, s := range Specs() {
		switch {
		case s.Stream != stream:
		case s.Scope == PerSession:
			list = append(list, s.Subject(Envelope{Session: session}))
		case s.Scope == PerRequest && len(list) == 0:
			list = append(list, OutputSubject(session, "*"))
		}
	}
	return list
}

// SessionOf is the session that a subject names, "" for none.
func SessionOf(subject string) string {
	rest, ok := strings.CutPrefix(subject, prefix)
	if !ok {
		return ""
	}
	if out, ok := strings.CutPrefix(subject, output); ok {
		session, _, _ := strings.Cut(out, ".")
		return session
	}
	i := strings.LastIndexByte(rest, '.')
	if i < 0 || specs[Type(rest[:i])].Scope != PerSession || specs[Type(rest[:i])].Stream == "" {
		return ""
	}
	return rest[i+1:]
}

// Of returns the description of a message's type.
func Of(t Type) (Spec, bool) {
	s, ok := specs[t]
	return s, ok
}
