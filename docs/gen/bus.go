package main

import (
	"reflect"
	"strconv"

	"belay/internal/bus/contract"
)

func busMessages(string) ([]byte, error) {
	d := newDoc("The bus", "Surfaces such as Discord talk to belay over an event bus: they ask for work, follow what becomes of it, and answer\n"+
		"questions. The bus is NATS JetStream. `belay serve` runs the server inside its own process if `bus.enabled` is `on`, or\n"+
		"`auto` with the token of a Discord bot. It opens no network port; other programs of the same user connect through the\n"+
		"socket `bus/socket` in the state folder. `belay bus tail` shows the traffic. Turns of terminals, of the page and of HTTP\n"+
		"are not on the bus.\n\n"+
		"## A request\n\n"+
		"1. The surface makes an id for the request, such as `discord:<channel>:<message>`, and publishes `cmd.request.message`.\n"+
		"2. A worker in `belay serve` takes the request. The requests of a session run one after the other, in the order of the bus.\n"+
		"   `queue` says what happens where a turn runs already: `prompt` waits in line, `steer` and `followUp` are said into the turn,\n"+
		"   `interrupt` ends it.\n"+
		"3. The worker starts a turn. The request's id is its idempotency key. `evt.request.lifecycle.changed` says that it runs.\n"+
		"4. The output of the turn has a subject of its own, and each message has a position (`Belay-Seq`). One publisher writes it in the\n"+
		"   order of the session's log, so a file never overtakes a text. A reader that comes late reads it from the start.\n"+
		"5. `evt.agent.output.response.text` ends the output. The final state follows, and the request leaves the bus.\n\n"+
		"A request that was said into the turn of another one has no output: its final state names that request in `into`.\n\n"+
		"## Delivery\n\n"+
		"- **Once.** A stream stores a message once, however often it is published with the same `Nats-Msg-Id`: within two hours, outputs for\n"+
		"  as long as they are kept. A request runs once, however often it is delivered. One that was cancelled, or failed,\n"+
		"  before it began a turn does not run later, as long as its output is kept.\n"+
		"- **After a crash** the request is delivered to the next server. It finds the turn by the request's id, and continues the output after\n"+
		"  its last message. A turn that was killed at work has failed, and its request ends so; a turn that waits for a person goes on.\n"+
		"- **Retries.** Where the server cannot begin a turn now (its disk is full, too many turns run), it tries five times, after 1, 2, 4 and 8\n"+
		"  seconds. Then the request fails with the reason. A signal that its reader does not take comes again in the same way, before the\n"+
		"  next one.\n"+
		"- **Dead letters.** A message that breaks the contract, or that failed five times, leaves its stream. `BELAY_DEAD` keeps its ids, size,\n"+
		"  sha256 and the error for 30 days, and nothing of its text.\n"+
		"- **Limits.** 4,096 requests, or 64 MiB of them, may wait or run; a further one is refused with `OVERLOADED`. Outputs and signals are kept\n"+
		"  for 24 hours, 256 and 64 MiB of them. Messages are flushed to the disk within five seconds, so a power cut may take the newest; the\n"+
		"  death of the process takes none.\n\n"+
		"## Files\n\n"+
		"A message names a file by the sha256 and the length of a blob of the session. Only a file of at most 16 KiB has its bytes in the\n"+
		"message (`dataBase64`). A surface that can read the state folder reads the blob. Any other asks with `cmd.blob.copy` for a copy in\n"+
		"the bus's object store (bucket `BELAY_FILES`). The copy goes when each surface that asked has released it, after 24 hours at the latest.\n\n"+
		"## Envelope\n\n"+
		"The headers of a message say what it belongs to; no payload repeats them.\n")
	d.table("header", "")
	d.row(code(contract.HeaderType), "the message's name in the table below")
	d.row(code(contract.HeaderVersion), "the version of the payload, 1")
	d.row(code(contract.HeaderID), "the producer's id of the message; not on questions and replies")
	d.row(code(contract.HeaderRequest), "the id of the request: letters, digits, `:`, `_` and `-`, at most 120; with `cmd.session.create`, of the one that needs the session: the server that made it gives that session again, for its last 1,000")
	d.row(code(contract.HeaderSession), "the id of the session")
	d.row(code(contract.HeaderClient), "the kind of the surface, such as `discord`")
	d.row(code(contract.HeaderSeq), "the position of an output in its request, from 1 without gaps")
	d.heading("Messages")
	d.WriteString("A payload is one JSON object. A member that is not in its table is an error, and so is a text that is not UTF-8. Messages without a\n" +
		"stream are questions: the worker replies to each, with `reply.failure` where it cannot.\n\n")
	d.table("message", "subject", "stream", "at most", "when")
	for _, s := range contract.Specs() {
		d.row(code(string(s.Type)), code(s.Pattern()), code(s.Stream), strconv.Itoa(s.MaxBytes>>10)+" KiB", s.When)
	}
	for _, s := range contract.Specs() {
		d.heading(string(s.Type))
		t := reflect.TypeOf(s.Sample()).Elem()
		if t.NumField() == 0 {
			d.WriteString("No members.\n")
			continue
		}
		d.table("member", "type", "")
		fieldsOf(d, t)
	}
	return d.Bytes(), nil
}
