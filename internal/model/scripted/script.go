package scripted

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"belay/internal/attachment"
	"belay/internal/model"
)

// Script is a conversation that was written down, as docs/scripted.md describes
// it. It is immutable; [Parse] makes it.
type Script struct {
	turns []scriptTurn
}

// scriptTurn is the model's side of one turn: one call of steps after another,
// with the tools run in between.
type scriptTurn struct {
	// when is a text that the user's words must contain; "" is the next turn in
	// order.
	when  string
	calls [][]step
}

// step is one thing that the model does; exactly one field is set.
type step struct {
	say   string
	think string
	call  *model.ToolCall
	usage *model.Usage
	fail  *failure
	wait  time.Duration
	stop  model.StopReason
	panic string
}

// failure is an error that the service answers.
type failure struct {
	kind    string
	status  int
	message string
}

// next returns the steps that follow the messages, or nil when the script has
// nothing for them. Of the current turn, folded answers are not shown. A turn whose
// steps have all been played gives an empty list.
func (s *Script) next(messages *model.Conversation, folded int) []step {
	if s == nil || messages.Len() == 0 {
		return nil
	}
	start := turnStart(messages)
	turn := s.turnFor(messages, start)
	if turn == nil {
		return nil
	}
	done := folded
	for i := start; i < messages.Len(); i++ {
		if messages.At(i).Role == model.Assistant {
			done++
		}
	}
	if done >= len(turn.calls) {
		return []step{}
	}
	return turn.calls[done]
}

// turnFor finds the turn that answers the message at last: the first whose
// text matches, else the next one in order. Which is next is counted in the
// history: every earlier turn that no text matched has taken one.
func (s *Script) turnFor(messages *model.Conversation, last int) *scriptTurn {
	if t := s.matching(wordsOf(messages.At(last))); t != nil {
		return t
	}
	n := 0
	for i := range last {
		if m := messages.At(i); startsTurn(m) && s.matching(wordsOf(m)) == nil {
			n++
		}
	}
	for i := range s.turns {
		if s.turns[i].when != "" {
			continue
		}
		if n == 0 {
			return &s.turns[i]
		}
		n--
	}
	return nil
}

func (s *Script) matching(words string) *scriptTurn {
	i := slices.IndexFunc(s.turns, func(t scriptTurn) bool {
		return t.when != "" && strings.Contains(words, t.when)
	})
	if i < 0 {
		return nil
	}
	return &s.turns[i]
}

// turnStart is the index of the message that began the current turn: the last
// one from the user that does not answer tool calls.
func turnStart(messages *model.Conversation) int {
	for i := messages.Len() - 1; i > 0; i-- {
		if startsTurn(messages.At(i)) {
			return i
		}
	}
	return 0
}

func startsTurn(m *model.Message) bool {
	return m.Role == model.User && !slices.ContainsFunc(m.Content, func(c model.Content) bool {
		_, ok := c.(model.ToolOutput)
		return ok
	})
}

// tookBack begins the lines that belay puts before what a person says, about changes
// that they took back. They repeat the words of an earlier turn.
const tookBack = "[The person took back"

// wordsOf are the words that a person sent. What belay puts beside them, about
// turns that were left out or taken back, is not theirs.
func wordsOf(m *model.Message) string {
	var text []string
	for _, c := range m.Content {
		if c, ok := c.(model.Media); ok {
			if t, ok := c.Part.(attachment.TextPart); ok {
				words := t.Text
				for strings.HasPrefix(words, tookBack) {
					_, words, _ = strings.Cut(words, "\n")
				}
				text = append(text, words)
			}
		}
	}
	return strings.Join(text, "\n\n")
}

// calls cuts a turn's steps into the model calls that they are: a run of tool
// calls ends one, because the model sees the results before it goes on.
func calls(steps []step) [][]step {
	var all [][]step
	from := 0
	for i, s := range steps {
		if s.call != nil && (i+1 == len(steps) || steps[i+1].call == nil) {
			all = append(all, steps[from:i+1])
			from = i + 1
		}
	}
	if from < len(steps) {
		all = append(all, steps[from:])
	}
	return all
}

// emptyInput is the input of a call that gives none.
var emptyInput = json.RawMessage("{}")
