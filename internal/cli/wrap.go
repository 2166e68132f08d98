package cli

import (
	"strings"

	"belay/internal/lazyregexp"
)

// hang wraps text to a width, each line but the first indented. A line break in
// the text is kept. What somebody may copy is not broken, even where it is longer
// than the line: a path, a command of belay, a quoted name. Width 0 wraps nothing.
func hang(text string, width, indent int) string {
	var b strings.Builder
	margin := strings.Repeat(" ", indent)
	for i, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i > 0 {
			b.WriteString("\n" + margin)
		}
		wrapLine(&b, l, width-indent, margin)
	}
	return b.String()
}

func wrapLine(b *strings.Builder, l string, room int, margin string) {
	if room < 1 || cells(l) <= room {
		b.WriteString(l)
		return
	}
	lead := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
	b.WriteString(lead)
	used := cells(lead)
	for i, piece := range pieces(l) {
		n := cells(piece)
		switch {
		case i == 0:
		case used+1+n > room:
			b.WriteString("\n" + margin)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(piece)
		used += n
	}
}

// pieces are what a line may be broken between: its words, but for those that
// belong together.
func pieces(l string) []string {
	words := strings.Fields(l)
	var all []string
	for len(words) > 0 {
		n := max(command(words), quotation(words))
		all = append(all, strings.Join(words[:n], " "))
		words = words[n:]
	}
	return all
}

const (
	// stops end a sentence or a part of one, and a command with it.
	stops = ",;:.!?)]"
	// longestQuotation is the most words of one that stays whole.
	longestQuotation = 12
	// subcommands is the most words that name a command of belay.
	subcommands = 2
)

// quotation is how many words the quoted name has that words begin with, 1 where
// they begin with none.
func quotation(words []string) int {
	opened := strings.TrimLeft(words[0], "([")
	if opened == "" {
		return 1
	}
	closer := opened[:1]
	if !quotes.MatchString(closer) {
		return 1
	}
	for i, w := range words[:min(len(words), longestQuotation)] {
		if i == 0 {
			w = opened[1:]
		}
		if strings.HasSuffix(strings.TrimRight(w, stops), closer) {
			return i + 1
		}
	}
	return 1
}

var (
	quotes     = lazyregexp.New("[\"'`]")
	subcommand = lazyregexp.New(`^[a-z][a-z-]*[,;:.)]?$`)
	// argument is what can only be one: an id, a path, the name of a value.
	argument = lazyregexp.New(`^(-|[A-Z]{2}|\S*[/_…0-9])`)
)

// command is how many words the command of belay has that words begin with, 1
// where they begin with none. It may count a word too many, which does no harm.
func command(words []string) int {
	if strings.TrimLeft(words[0], "([") != "belay" {
		return 1
	}
	n, names := 1, 0
	for n < len(words) && !strings.ContainsAny(words[n-1][len(words[n-1])-1:], stops) {
		w := words[n]
		switch {
		case quotes.MatchString(w[:1]):
			n += quotation(words[n:])
		case strings.HasPrefix(w, "--") && !strings.Contains(w, "=") && n+1 < len(words) && argument.MatchString(words[n+1]):
			n += 2
		case argument.MatchString(w):
			n++
		case names < subcommands && subcommand.MatchString(w):
			n, names = n+1, names+1
		default:
			return n
		}
	}
	return n
}

// wholeID is the id of a session, of which the beginning is enough to name it.
var wholeID = lazyregexp.New(`\b(sess_[0-9a-f]{8})-[0-9a-f-]{27}\b`)

// typeable is a hint whose commands fit behind a margin, where that can be done:
// sessions are named by the beginning of their id where the whole runs over.
func (c *console) typeable(hint string, margin int) string {
	for _, piece := range pieces(hint) {
		if c.width > 0 && cells(piece) > c.width-margin {
			return wholeID.ReplaceAllString(hint, "$1")
		}
	}
	return hint
}
