package chat

import (
	"fmt"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/quantity"
	"belay/internal/render"
)

// said is what a person said.
type said struct {
	text string
	// label says how it came where it did not begin a turn from here: steering, a
	// follow-up, another place.
	label string
	files []string
	// compact is set where the turn only summarises those before it.
	compact bool
	// key names the message to the engine, which takes it once.
	key string
	// failed is why it was not sent.
	failed string
	whole  bool
}

// maxSaidLines is how much of a long message is shown when it is folded.
const maxSaidLines = 20

func (s *said) unfold(whole bool) { s.whole = whole }

func (s *said) draw(l *render.Look, width int) []string {
	bar := l.Person.Render("▌ ")
	var lines []string
	if s.label != "" {
		lines = append(lines, bar+l.Faint.Render(l.Cut(s.label, width-2)))
	}
	text := l.Fold(render.Clean(s.text), max(1, width-2))
	limit := maxSaidLines
	if s.whole {
		limit = render.WholeLines
	}
	if over := len(text) - limit; over > 0 {
		text = append(text[:limit], more(over, false, s.whole))
	}
	for _, t := range text {
		if t != "" || len(text) > 1 {
			lines = append(lines, bar+l.Strong.Render(t))
		}
	}
	for _, f := range s.files {
		lines = append(lines, bar+l.Faint.Render(l.Cut("+ "+render.Line(f), width-2)))
	}
	if s.failed != "" {
		for _, t := range l.Fold("not sent: "+render.Clean(s.failed), max(1, width-2)) {
			lines = append(lines, bar+l.Bad.Render(t))
		}
	}
	return lines
}

// thought is the model's reasoning: the end of it while it comes, one line when
// it is over, all of it when everything is unfolded.
type thought struct {
	text        string
	open, whole bool
	began, last time.Time
}

// openThought is how many lines of reasoning are shown while it comes, and
// keptThought how many bytes of it are kept.
const (
	openThought = 3
	keptThought = 64 << 10
)

func (t *thought) write(s string, at time.Time) {
	if t.began.IsZero() {
		t.began = at
	}
	t.last = at
	if t.text += render.Clean(s); len(t.text) > 2*keptThought {
		t.text = strings.ToValidUTF8(t.text[len(t.text)-keptThought:], "")
	}
}

func (t *thought) draw(l *render.Look, width int) []string {
	head := "thinking"
	if !t.open {
		head = "thought"
		if d := t.last.Sub(t.began); d >= time.Second {
			head += " for " + quantity.Duration(d)
		}
	}
	lines := []string{l.Faint.Render("∴ " + head)}
	if !t.open && !t.whole {
		return lines
	}
	text := l.Fold(strings.TrimSpace(t.text), max(1, width-2))
	if !t.whole {
		text = text[max(0, len(text)-openThought):]
	}
	for _, s := range text {
		lines = append(lines, "  "+l.Faint.Italic(true).Render(s))
	}
	return lines
}

func (*thought) snug()               {}
func (t *thought) unfold(whole bool) { t.whole = whole }

// notice is something a person should know.
type notice struct {
	kind noticeKind
	text string
	// topic is what it is about, where a later one takes its place.
	topic string
	// again is how often it was told again.
	again int
}

// noticeKind says how grave it is.
type noticeKind int

const (
	noticeInfo noticeKind = iota
	noticeWarning
	noticeFailure
)

func (n *notice) draw(l *render.Look, width int) []string {
	sign, style := "· ", l.Faint
	switch n.kind {
	case noticeWarning:
		sign, style = "! ", l.Warn
	case noticeFailure:
		sign, style = "✗ ", l.Bad
	}
	text := render.Clean(n.text)
	if n.again > 0 {
		text += fmt.Sprintf(" (%d times)", n.again+1)
	}
	return l.Hang(style, sign, text, width)
}

func (*notice) snug() {}

// ending is the line under a turn.
type ending struct {
	exit  event.Exit
	stop  string
	took  time.Duration
	spent *event.Tokens
	// next is what to do about it, "" for nothing.
	next string
}

func (e *ending) draw(l *render.Look, width int) []string {
	word, style := "", l.Faint
	switch {
	case e.exit.ExitCode == 130:
		word, style = "interrupted", l.Warn
	case e.exit.ExitCode == 124:
		word, style = "timed out", l.Bad
	case e.exit.ExitCode != 0:
		word, style = "failed", l.Bad
	case e.stop != "" && e.stop != "end_turn":
		word, style = "stopped: "+render.Line(e.stop), l.Warn
	}
	var parts []string
	if word != "" {
		parts = append(parts, word)
	}
	if e.took > 0 {
		parts = append(parts, quantity.Duration(e.took))
	}
	if e.spent != nil {
		parts = append(parts, used(*e.spent))
	}
	if len(parts) == 0 {
		parts = []string{"done"}
	}
	lines := []string{style.Render(l.Cut("── "+strings.Join(parts, " · "), width))}
	if e.exit.Error != "" && e.exit.ExitCode != 130 {
		lines = append(lines, l.Hang(l.Bad, "✗ ", render.Clean(e.exit.Error), width)...)
	}
	if calls := e.exit.Calls.String(); calls != "" {
		lines = append(lines, l.Hang(l.Warn, "! ", calls, width)...)
	}
	if e.next != "" {
		lines = append(lines, l.Hang(l.Faint, "→ ", render.Clean(e.next), width)...)
	}
	return lines
}

// used is what a turn cost, in words.
func used(t event.Tokens) string {
	in := t.InputTokens + t.CacheReadTokens + t.CacheWriteTokens
	s := count(in) + " in · " + count(t.OutputTokens) + " out"
	if t.CostUSD != nil {
		s += fmt.Sprintf(" · $%.4f", *t.CostUSD)
	}
	return s
}

// count is a number for reading.
func count(n int64) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
