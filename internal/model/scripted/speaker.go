package scripted

import (
	"context"
	"time"
	"unicode/utf8"

	"belay/internal/model"
)

// chunkRunes is the length of a chunk of text. It counts runes, so that no
// character is ever torn apart.
const chunkRunes = 24

// speaker gives one answer, chunk by chunk. Its methods report whether the
// answer goes on: false after the reader has left, ctx is done, or the answer
// has ended.
type speaker struct {
	ctx   context.Context
	yield func(model.Chunk, error) bool
	pace  time.Duration
	sleep func(context.Context, time.Duration) error
	// messages are the conversation that is answered.
	messages model.Conversation

	// left is what the answer may still say, in bytes.
	left  int64
	usage model.Usage
	// fixed is set when a script gave the usage itself.
	fixed bool
}

func (p *Provider) newSpeaker(ctx context.Context, r model.Request, input int64, yield func(model.Chunk, error) bool) *speaker {
	return &speaker{
		ctx: ctx, yield: yield, pace: p.pace, sleep: p.sleep,
		left:  p.maxTokens(r) * 4,
		usage: model.Usage{InputTokens: input},
	}
}

func (s *speaker) emit(c model.Chunk) bool { return s.yield(c, nil) }

func (s *speaker) fail(err error) bool {
	s.yield(nil, err)
	return false
}

// wait holds the answer for d.
func (s *speaker) wait(d time.Duration) bool {
	if err := s.sleep(s.ctx, d); err != nil {
		return s.fail(err)
	}
	return true
}

// say speaks text in chunks and then as a finished block. Text over the answer's
// token limit is cut and ends the answer.
func (s *speaker) say(text string) bool {
	spoken, cut := s.afford(text)
	for rest := spoken; rest != ""; {
		var chunk string
		chunk, rest = nextChunk(rest)
		if !s.paced(model.TextDelta{Text: chunk}) {
			return false
		}
	}
	if spoken != "" && !s.emit(model.Block{Content: model.Text{Text: spoken}}) {
		return false
	}
	if cut {
		return s.stop(model.StopMaxTokens)
	}
	return true
}

// think is say for reasoning.
func (s *speaker) think(text string) bool {
	spoken, cut := s.afford(text)
	for rest := spoken; rest != ""; {
		var chunk string
		chunk, rest = nextChunk(rest)
		if !s.paced(model.ThinkingDelta{Text: chunk}) {
			return false
		}
	}
	if cut {
		return s.stop(model.StopMaxTokens)
	}
	return s.emit(model.Block{Content: model.Thinking{Text: spoken, Signature: Name}})
}

// paced emits one delta and waits for the pace. The context is looked at after
// every chunk, so an interrupt is noticed within one pace.
func (s *speaker) paced(c model.Chunk) bool {
	if !s.emit(c) {
		return false
	}
	if s.pace > 0 {
		return s.wait(s.pace)
	}
	if err := s.ctx.Err(); err != nil {
		return s.fail(err)
	}
	return true
}

// afford takes text from the token budget and returns what fits.
func (s *speaker) afford(text string) (spoken string, cut bool) {
	if int64(len(text)) > s.left {
		n := int(s.left)
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text, cut = text[:n], true
	}
	s.left -= int64(len(text))
	if !s.fixed {
		s.usage.OutputTokens += model.TextTokens(text)
	}
	return text, cut
}

// stop ends the answer; it always returns false.
func (s *speaker) stop(reason model.StopReason) bool {
	if s.emit(s.usage) {
		s.emit(model.Stop{Reason: reason})
	}
	return false
}

// nextChunk splits off the first chunk of s.
func nextChunk(s string) (chunk, rest string) {
	if len(s) <= chunkRunes {
		return s, ""
	}
	n := 0
	for i := range s {
		if n == chunkRunes {
			return s[:i], s[i:]
		}
		n++
	}
	return s, ""
}
