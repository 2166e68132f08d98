package event

import "bytes"

// Spec describes one event type for the reference table and the API document.
type Spec struct {
	Type Type
	// Bus is the message that carries it on the event bus, where the turn was asked for on
	// the bus; empty where no message does.
	Bus string
	// When says in a sentence when it is emitted.
	When string
	// Sample is a zero payload of its Go type.
	Sample any
}

// Types lists every event, in the order of a turn.
func Types() []Spec {
	return []Spec{
		{SessionInit, "evt.request.lifecycle.changed", "The turn was accepted; always first.", Init{}},
		{ChatDelta, "evt.agent.output.delta.text", "Text of the answer, at most one per 25 ms or 4 KiB; the first is never delayed.", Text{}},
		{ChatThinking, "evt.agent.output.delta.reasoning", "Text of the model's reasoning, coalesced like chat:delta.", Text{}},
		{ToolCall, "evt.agent.output.toolcall", "The model asks for a tool; the call has not run.", ToolUse{}},
		{PermissionAsked, "evt.decision.opened", "A call waits for a person's decision.", Permission{}},
		{PermissionGiven, "evt.decision.closed", "The decision was made, or its time ran out.", Verdict{}},
		{ToolOutput, "", "A command writes while it runs, at most one per 25 ms or 4 KiB. After 256 KiB of a call only its end comes, every 1 to 10 seconds.", LiveOutput{}},
		{ToolResult, "evt.agent.output.toolcall", "A tool call ended.", ToolOutcome{}},
		{AttachmentInput, "evt.agent.input.binary", "A tool gave the model a file.", Attachment{}},
		{AttachmentAdd, "evt.agent.output.response.binary", "The agent sends people a file; one event per file.", SentFile{}},
		{SubagentStart, "", "A delegated agent begins.", Subagent{}},
		{SubagentEnd, "", "A delegated agent ended.", Subagent{}},
		{TurnInput, "", "A person said something into the running turn.", Input{}},
		{ChatComplete, "evt.agent.output.response.text", "The whole text of the answer.", Text{}},
		{Usage, "", "A model call ended: its tokens and cost, and the turn's totals.", UsageReport{}},
		{TurnWarning, "evt.agent.output.warning", "Something that does not end the turn but that a person should know.", Warning{}},
		{TurnError, "evt.agent.output.response.text", "The turn failed after its stream had begun; process:exit follows.", Failure{}},
		{SessionComplete, "evt.agent.output.response.text", "The model stopped by itself or at a limit; says which.", Complete{}},
		{ProcessExit, "evt.request.lifecycle.changed", "The turn is over; always last, then the stream closes.", Exit{}},
		{ChangesUndone, "", "Between turns: the file changes of a turn were taken back.", Undone{}},
		{LogGap, "", "Made for one reader whose position is no longer, or not yet, in the log.", Gap{}},
	}
}

// Renamed gives an event of an older log the name that it has today: attachment:add
// once was what attachment:input is, and did not say how many files a call sends.
func (e Event) Renamed() Event {
	if e.Type == AttachmentAdd && !bytes.Contains(e.Data, []byte(`"of":`)) {
		e.Type = AttachmentInput
	}
	return e
}

// Ends reports whether e is the last event of its turn.
func (e Event) Ends() bool { return e.Type == ProcessExit }

// Between reports whether e stands between turns and belongs to none.
func (e Event) Between() bool { return e.Type == ChangesUndone }
