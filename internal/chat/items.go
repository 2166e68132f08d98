package chat

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"belay/internal/event"
)

// said is what a person said.
type said struct {
	text string
	// label says how it came where it did not begin a turn from here: steering, a
	// follow-up, another place.
	label string
	files []string
	// failed is why it was not sent.
	failed string
	whole  bool
}

// maxSaidLines is how much of a long message is shown when it is folded.
const maxSaidLines = 20

func (s *said) unfold(whole bool) { s.whole = whole }

func (s *said) draw(l *look, width int) []string {
	bar := l.person.Render("▌ ")
	var lines []string
	if s.label != "" {
		lines = append(lines, bar+l.faint.Render(l.cut(s.label, width-2)))
	}
	text := l.fold(clean(s.text), max(1, width-2))
	limit := maxSaidLines
	if s.whole {
		limit = wholeLines
	}
	if over := len(text) - limit; over > 0 {
		text = append(text[:limit], more(over, false, s.whole))
	}
	for _, t := range text {
		if t != "" || len(text) > 1 {
			lines = append(lines, bar+l.strong.Render(t))
		}
	}
	for _, f := range s.files {
		lines = append(lines, bar+l.faint.Render(l.cut("+ "+oneLine(f), width-2)))
	}
	if s.failed != "" {
		for _, t := range l.fold("not sent: "+clean(s.failed), max(1, width-2)) {
			lines = append(lines, bar+l.bad.Render(t))
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
	if t.text += clean(s); len(t.text) > 2*keptThought {
		t.text = strings.ToValidUTF8(t.text[len(t.text)-keptThought:], "")
	}
}

func (t *thought) draw(l *look, width int) []string {
	head := "thinking"
	if !t.open {
		head = "thought"
		if d := t.last.Sub(t.began); d >= time.Second {
			head += " for " + shortly(d)
		}
	}
	lines := []string{l.faint.Render("∴ " + head)}
	if !t.open && !t.whole {
		return lines
	}
	text := l.fold(strings.TrimSpace(t.text), max(1, width-2))
	if !t.whole {
		text = text[max(0, len(text)-openThought):]
	}
	for _, s := range text {
		lines = append(lines, "  "+l.faint.Italic(true).Render(s))
	}
	return lines
}

func (*thought) snug()               {}
func (t *thought) unfold(whole bool) { t.whole = whole }

// notice is something a person should know.
type notice struct {
	kind noticeKind
	text string
	// again is how often it was told again.
	again int
}

// noticeKind says how grave it is.
type noticeKind int

const (
	tells noticeKind = iota
	warns
	fails
)

func (n *notice) draw(l *look, width int) []string {
	sign, style := "· ", l.faint
	switch n.kind {
	case warns:
		sign, style = "! ", l.warn
	case fails:
		sign, style = "✗ ", l.bad
	}
	text := clean(n.text)
	if n.again > 0 {
		text += fmt.Sprintf(" (%d times)", n.again+1)
	}
	return l.hang(style, sign, text, width)
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

func (e *ending) draw(l *look, width int) []string {
	word, style := "", l.faint
	switch {
	case e.exit.ExitCode == 130:
		word, style = "interrupted", l.warn
	case e.exit.ExitCode == 124:
		word, style = "timed out", l.bad
	case e.exit.ExitCode != 0:
		word, style = "failed", l.bad
	case e.stop != "" && e.stop != "end_turn":
		word, style = "stopped: "+oneLine(e.stop), l.warn
	}
	var parts []string
	if word != "" {
		parts = append(parts, word)
	}
	if e.took > 0 {
		parts = append(parts, shortly(e.took))
	}
	if e.spent != nil {
		parts = append(parts, used(*e.spent))
	}
	if len(parts) == 0 {
		parts = []string{"done"}
	}
	lines := []string{style.Render(l.cut("── "+strings.Join(parts, " · "), width))}
	if e.exit.Error != "" && e.exit.ExitCode != 130 {
		lines = append(lines, l.hang(l.bad, "✗ ", clean(e.exit.Error), width)...)
	}
	if calls := e.exit.Calls.String(); calls != "" {
		lines = append(lines, l.hang(l.warn, "! ", calls, width)...)
	}
	if e.next != "" {
		lines = append(lines, l.hang(l.faint, "→ ", clean(e.next), width)...)
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

// shortly is a duration for reading.
func shortly(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// hang sets text after a sign, with later lines under its beginning.
func (l *look) hang(style lipgloss.Style, sign, text string, width int) []string {
	margin := l.cells(sign)
	var lines []string
	for i, t := range l.fold(text, max(1, width-margin)) {
		if i > 0 {
			sign = strings.Repeat(" ", margin)
		}
		lines = append(lines, style.Render(sign+t))
	}
	return lines
}
