package chat

import (
	"strings"
	"time"
)

// say writes a piece of the answer.
func (s *reducer) say(text string) {
	s.rest()
	for _, block := range s.cutter.Write(text) {
		s.block(block, false)
		s.open = -1
	}
	if strings.TrimSpace(s.cutter.Tail()) != "" {
		s.block(s.cutter.Tail(), true)
	}
}

// stream is a piece of the answer.
func (s *reducer) stream(text string) {
	if s.settled {
		s.streamed, s.settled = nil, false
	}
	s.streamed = append(s.streamed, text...)
	s.say(text)
}

// complete ends the answer. It says what has not come in pieces, as from a provider that
// streams nothing. What came may stand above warnings and calls since.
func (s *reducer) complete(text string) {
	if streaming := !s.settled && len(s.streamed) > 0; !streaming && strings.TrimSpace(text) != strings.TrimSpace(string(s.streamed)) {
		s.say(text)
	}
	s.settle()
	s.streamed = nil
}

// block shows a block of the answer, in the place of the one that is open.
func (s *reducer) block(text string, open bool) {
	p := &prose{text: text, open: open}
	if s.open < 0 {
		s.open = s.m.conversation.add(p)
		return
	}
	s.m.conversation.cells[s.open].item = p
	s.m.conversation.touch(s.open)
}

// think writes a piece of the reasoning.
func (s *reducer) think(text string, at time.Time) {
	s.finish()
	if s.thinking < 0 {
		s.thinking = s.m.conversation.add(&thought{open: true})
	}
	s.m.conversation.cells[s.thinking].item.(*thought).write(text, at)
	s.m.conversation.touch(s.thinking)
}

// rest ends the reasoning.
func (s *reducer) rest() {
	if s.thinking >= 0 {
		s.m.conversation.cells[s.thinking].item.(*thought).open = false
		s.m.conversation.touch(s.thinking)
		s.thinking = -1
	}
}

// finish ends the block that is open.
func (s *reducer) finish() {
	if last := s.cutter.Flush(); last != "" {
		s.block(last, false)
	}
	s.open = -1
}

// settle ends whatever is being written, so that what follows stands under it.
func (s *reducer) settle() {
	s.rest()
	s.finish()
	s.settled = true
}
