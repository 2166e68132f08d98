// Package contract defines the messages of the bus: their types, versions, ids,
// sizes and subjects. Surfaces and the worker that runs turns share nothing else.
//
// A message is an [Envelope] in the headers and a [Payload] as one JSON object.
// [Encode] checks a message before it is published, [Decode] checks one that
// arrives: both refuse ids of another form, members that the payload does not
// have, texts that are not UTF-8, and sizes above the limit of the type. The
// table of all messages is [Specs]; docs/bus.md is generated from it.
//
// Bytes travel by reference: a payload names the sha256 and the length of a blob
// of the session, see [File].
//
// A change that an older program cannot read needs a new [Version].
package contract

// Version is the version of all payloads.
const Version = 1

// Type is a message's name on the bus.
type Type string

// The messages.
const (
	TypeAdapterMessageCreated Type = "evt.adapter.message.created"
	TypeAdapterMessageUpdated Type = "evt.adapter.message.updated"
	TypeAdapterMessageDeleted Type = "evt.adapter.message.deleted"

	TypeRequestMessage   Type = "cmd.request.message"
	TypeLifecycleChanged Type = "evt.request.lifecycle.changed"
	TypeReanchor         Type = "cmd.surface.output.reanchor"

	TypeTextDelta      Type = "evt.agent.output.delta.text"
	TypeReasoningDelta Type = "evt.agent.output.delta.reasoning"
	TypeToolCall       Type = "evt.agent.output.toolcall"
	TypeResponseBinary Type = "evt.agent.output.response.binary"
	TypeWarning        Type = "evt.agent.output.warning"
	TypeResponseText   Type = "evt.agent.output.response.text"
	TypeInputBinary    Type = "evt.agent.input.binary"

	TypeDecisionOpened Type = "evt.decision.opened"
	TypeDecisionClosed Type = "evt.decision.closed"
	TypeDecisionAnswer Type = "cmd.decision.answer"

	TypeSessionCreate Type = "cmd.session.create"
	TypeSessionStatus Type = "cmd.session.status"
	TypeSessionList   Type = "cmd.session.list"
	TypePersonaList   Type = "cmd.persona.list"

	TypeBlobCopy    Type = "cmd.blob.copy"
	TypeBlobRelease Type = "cmd.blob.release"
	TypeLinkRenew   Type = "cmd.link.renew"

	TypeDecisionAnswered Type = "reply.decision.answer"
	TypeSessionCreated   Type = "reply.session.create"
	TypeSessionState     Type = "reply.session.status"
	TypeSessionPage      Type = "reply.session.list"
	TypePersonas         Type = "reply.persona.list"
	TypeBlobCopied       Type = "reply.blob.copy"
	TypeBlobReleased     Type = "reply.blob.release"
	TypeLinkRenewed      Type = "reply.link.renew"
	TypeFailure          Type = "reply.failure"
)

// Payload is the content of a message: a pointer to one of the structs of this
// package, see [TypeOf].
type Payload interface {
	// check reports what is wrong with the content.
	check(c *checker)
}

// Envelope says to what a message belongs. It travels in the headers, and no
// payload repeats it.
type Envelope struct {
	// ID is the producer's id of the message. A stream stores a message once,
	// however often it is published with the same id. Requests and their replies
	// have none.
	ID string
	// Request is the id of the request, made by the surface before it publishes
	// anything else, such as "discord:<channel>:<message>".
	Request string
	// Session is the id of the belay session.
	Session string
	// Client is the kind of the surface, such as "discord".
	Client string
	// Seq is the position of an output in its request, from 1 without gaps. All
	// other messages have 0.
	Seq int64
}
