package turn

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// resultNotRun stands for the result of a call that did not begin.
const resultNotRun = "The turn was stopped before this call ran."

// results gathers what the model gets back. After an error that ends the turn,
// the calls that have no result get one that says so, on record: the next turn
// goes on from a conversation without gaps.
func (t *agentRun) results(steps []*toolCall, ended error) ([]conversation.Result, error) {
	if errors.Is(ended, ErrLeft) {
		return nil, nil // its calls stay open
	}
	if ended != nil {
		return nil, t.closeSteps(steps)
	}
	all := make([]conversation.Result, len(steps))
	for i, s := range steps {
		all[i] = conversation.Result{Block: s.block()}
		if s.effect.Kind == permit.Read {
			all[i].Read = s.effect.Paths
		}
	}
	return all, nil
}

// closeSteps records a result for every call that has none.
func (t *agentRun) closeSteps(steps []*toolCall) error {
	e := session.Entry{Kind: session.EntryTools, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()}}
	cut := "" // the call that was: those that change something run one by one
	for _, s := range steps {
		if s.settled && s.err == nil {
			continue
		}
		text := resultNotRun
		if !s.began.IsZero() {
			text, cut = conversation.ResultUnknown, s.id
		}
		e.Blocks = append(e.Blocks, session.Block{Type: session.BlockToolResult, ID: s.id, Name: s.name, Text: text, Failed: true})
	}
	e.Changes = t.environment.Ledger.Take()
	for i := range e.Changes {
		e.Changes[i].Call = cut
	}
	if len(e.Blocks) == 0 {
		return nil
	}
	return t.append(e)
}

// repeatsMost is how often one call may give one result in a row before it is
// refused: a model that turns in circles must learn so.
const repeatsMost = 6

// repeats notes the last call and how often it came in a row with one result.
type repeats struct {
	last  [sha256.Size]byte
	count int
}

func fingerprint(parts ...string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	h.Sum(sum[:0])
	return sum
}

// sameCall identifies a call by its tool and its input, however that is laid out.
func sameCall(s *toolCall) [sha256.Size]byte {
	input := string(s.input)
	var b bytes.Buffer
	if json.Compact(&b, s.input) == nil {
		input = b.String()
	}
	return fingerprint(s.name, input)
}

// repeated is the refusal of a call that has been made too often.
func (t *agentRun) repeated(s *toolCall) *tool.Refusal {
	sum := sameCall(s)
	if sum != t.repeats.last {
		t.repeats = repeats{last: sum}
	}
	if t.repeats.count++; t.repeats.count <= repeatsMost {
		return nil
	}
	return tool.Refuse("this is the same call of %s for the %dth time in a row, and it was not made again", s.name, t.repeats.count).
		WithHint("do something else, or say what keeps you from going on")
}

// shownInput is the most bytes of a call's input that an event carries.
const shownInput = 16 << 10

// show is a call's input for readers: without secrets, and not too long.
func (l *Local) show(input json.RawMessage) json.RawMessage {
	if l.o.Redact != nil {
		if clean, ok := l.o.Redact.Value(input).(json.RawMessage); ok {
			input = clean
		}
	}
	if len(input) <= shownInput {
		return input
	}
	return mustJSON(map[string]any{"omitted": "the input is too long to show here", "bytes": len(input), "begins": conversation.CutText(string(input), 1024)})
}

// clean takes secrets out of a text.
func (l *Local) clean(s string) string {
	if l.o.Redact == nil {
		return s
	}
	return l.o.Redact.String(s)
}
