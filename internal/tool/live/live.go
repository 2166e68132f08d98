// Package live shows people what a command writes while it runs.
//
// An [Output] takes the bytes of the command, as they come, and makes texts of them: plain
// (without control sequences for terminals), without keys, cut between characters, and at
// most one each interval or size. The first [Shown] bytes are shown as they come. After that
// only the end is shown, now and then, so a command that floods costs little and fills no
// log. What a model gets of the output is not this package's business.
package live

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"belay/internal/redact"
)

const (
	// Shown is how much of an output is shown as it comes, in bytes.
	Shown = 256 << 10
	// TailSize is how much of its end is shown after that.
	TailSize = 4 << 10
)

// Text is a piece of an output.
type Text struct {
	// Offset is where it begins in the output, in bytes. Keys count as they are shown, and
	// control sequences do not count.
	Offset int64
	Text   string
	// Tail is set for the end of an output of which something before it is not shown: it
	// takes the place of what was shown.
	Tail bool
}

// Options say how an output is shown.
type Options struct {
	// Redact takes keys out; nil takes out what looks like one.
	Redact *redact.Redactor
	// Interval and Size bound how often texts are shown, and how large they are in bytes.
	Interval time.Duration
	Size     int
	// Show gets the texts, in their order, and never from two goroutines at once. After
	// an error it gets no more.
	Show func([]Text) error
}

// Output shows the output of one command. It is safe for concurrent use, and never fails.
type Output struct {
	o Options

	mu sync.Mutex
	// raw is the end of what came that is not complete yet, stream what may hold a key.
	raw    []byte
	stream *redact.Stream
	// pending is what is shown next; it begins at offset.
	pending strings.Builder
	offset  int64
	// full is set once Shown bytes are shown or pending. Last are then the last bytes of
	// the output, skipped how many came, and fresh is set while some were not shown. The
	// tail is shown wait after the last text.
	full    bool
	last    []byte
	skipped int64
	fresh   bool
	wait    time.Duration

	shown time.Time
	timer *time.Timer
	armed bool
	// over is set by Close, and once nobody can be shown anything.
	over bool
}

// New returns the output of a command that begins. The caller closes it.
func New(o Options) *Output {
	o.Size = max(o.Size, utf8.UTFMax)
	return &Output{o: o, stream: o.Redact.OutputStream(), wait: tailFirst}
}

// Write implements [io.Writer].
func (l *Output) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over && len(p) > 0 {
		l.take(p)
		l.pace()
	}
	return len(p), nil
}

// Close shows what is left. Nothing is shown after it has returned.
func (l *Output) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.over {
		return nil
	}
	if !l.full {
		l.add(l.stream.Next(Plain(l.raw)) + l.stream.Rest())
	}
	l.flush()
	if l.fresh && !l.over {
		l.flush()
	}
	l.over = true
	return nil
}

// take makes text of bytes that came. l.mu is held.
func (l *Output) take(p []byte) {
	if l.full {
		l.skip(p)
		return
	}
	l.raw = append(l.raw, p...)
	n := complete(l.raw)
	l.add(l.stream.Next(Plain(l.raw[:n])))
	l.raw = append(l.raw[:0], l.raw[n:]...)
	if l.full {
		l.skip([]byte(l.stream.Rest()))
		l.skip(l.raw)
		l.raw = nil
	}
}

// add takes text that may be shown. l.mu is held.
func (l *Output) add(text string) {
	room := Shown - int(l.offset) - l.pending.Len()
	if len(text) <= room {
		l.pending.WriteString(text)
		return
	}
	n := wholeRunes(text, room)
	l.pending.WriteString(text[:n])
	l.full = true
	l.skip([]byte(text[n:]))
}

// pace shows what is due, and sees to it that the rest is shown in time. l.mu is held.
func (l *Output) pace() {
	for !l.over {
		var wait time.Duration
		switch {
		case l.pending.Len() >= l.o.Size, l.full && l.pending.Len() > 0:
		case l.pending.Len() > 0:
			wait = l.o.Interval - time.Since(l.shown) // the wall clock: this is pacing
		case l.fresh:
			wait = l.wait - time.Since(l.shown)
		default:
			return
		}
		if wait > 0 {
			l.arm(wait)
			return
		}
		l.flush()
	}
}

// arm has pace called later. l.mu is held.
func (l *Output) arm(wait time.Duration) {
	switch {
	case l.armed:
	case l.timer == nil:
		l.timer = time.AfterFunc(wait, l.late)
	default:
		l.timer.Reset(wait)
	}
	l.armed = true
}

func (l *Output) late() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = false
	l.pace()
}

// flush shows what is pending, or else the tail. l.mu is held.
func (l *Output) flush() {
	var texts []Text
	for rest := l.pending.String(); rest != ""; {
		n := wholeRunes(rest, l.o.Size)
		texts = append(texts, Text{Offset: l.offset, Text: rest[:n]})
		l.offset += int64(n)
		rest = rest[n:]
	}
	l.pending.Reset()
	if len(texts) == 0 && l.fresh {
		texts = []Text{l.tail()}
		l.fresh, l.wait = false, min(2*l.wait, tailLast)
	}
	if len(texts) == 0 {
		return
	}
	l.shown = time.Now()
	if l.o.Show(texts) != nil {
		l.over = true
	}
}

// wholeRunes is the length of the longest beginning of a text of at most n bytes that ends
// between two characters.
func wholeRunes(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}
