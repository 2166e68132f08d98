package live

import (
	"time"
	"unicode/utf8"
)

// After the first [Shown] bytes the end is shown after tailFirst at the earliest, then after
// twice the time, and every tailLast in the end.
const (
	tailFirst = time.Second
	tailLast  = 10 * time.Second
)

// skip keeps the end of what is not shown as it comes: twice as much as is shown of it, so
// that a key is found that reaches from the first half into the second. l.mu is held.
func (l *Output) skip(p []byte) {
	if len(p) == 0 {
		return
	}
	l.fresh = true
	l.skipped += int64(len(p))
	const most = 2 * TailSize
	p = p[max(0, len(p)-most):]
	if over := len(l.last) + len(p) - most; over > 0 {
		l.last = append(l.last[:0], l.last[over:]...)
	}
	l.last = append(l.last, p...)
}

// tail is the end of the output. l.mu is held.
func (l *Output) tail() Text {
	stream, cut := l.o.Redact.OutputStream(), complete(l.last[:max(0, len(l.last)-TailSize)])
	stream.Next(Plain(l.last[:cut]))
	text := stream.Next(Plain(l.last[cut:])) + stream.Rest()
	if over := len(text) - TailSize; over > 0 {
		text = text[over:]
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return Text{Offset: l.offset + max(0, l.skipped-int64(len(text))), Text: text, Tail: true}
}
