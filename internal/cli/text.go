package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"belay/internal/event"
	"belay/internal/render"
)

// clean makes text from outside safe to print: no control character but a line
// break or tab survives, so it cannot move the cursor, change colours or retitle
// the window; neither do the marks that reverse the direction of writing.
func clean(s string) string { return render.Tidy(s) }

// line is clean for one cell of a table: no line breaks either.
func line(s string) string { return render.Line(s) }

// cells is how many columns a terminal takes for s. Escape sequences of our own
// colours take none.
func cells(s string) int { return ansi.StringWidthWc(s) }

// clip is the beginning of a line that takes at most n columns; what was cut off
// is marked.
func clip(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	return strings.TrimRight(ansi.TruncateWc(s, max(0, n-1), ""), " ") + "…"
}

// pad fills s with spaces to n columns.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-cells(s))) }

// maxGist is how much of a call's input a line shows, in columns, where the width
// does not bound it.
const maxGist = 160

// about says in a line of so many columns what a call does.
func about(name string, input json.RawMessage, room int) string {
	look := render.NewLook()
	what := render.Call(look, event.ToolUse{Name: name, Input: input}, room-cells(name)-1)
	if mark := render.Mark(name, input); mark != "" {
		name += " (" + mark + ")"
	}
	name = clip(line(name), room)
	if left := room - cells(name) - 1; what != "" && left >= minGist {
		return name + " " + clip(what, left)
	}
	return name
}

// minGist is the fewest columns in which an input is worth a word.
const minGist = 8

// room is the columns of a line after a margin.
func (c *console) room(margin int) int {
	if c.width == 0 {
		return maxGist
	}
	return max(minWidth, c.width-margin)
}

// clipped is a line cut to what is left of the width after a margin.
func (c *console) clipped(l string, margin int) string { return clip(l, c.room(margin)) }

// byteOrderMark is what some editors and shells write before text. It is no part of
// what a person wrote.
const byteOrderMark = "\ufeff"

// plainText is data as text: UTF-8, without a byte order mark. Anything else is
// refused; sent on, each wrong byte would become a U+FFFD that nobody wrote.
func plainText(what string, data []byte) (string, error) {
	text := string(bytes.TrimPrefix(data, []byte(byteOrderMark)))
	if err := isText(what, text); err != nil {
		return "", err
	}
	return text, nil
}

// isText refuses what is not UTF-8.
func isText(what, text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	hint := "convert it to UTF-8, for instance with iconv -f LATIN1 -t UTF-8"
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		hint = "it is UTF-16; convert it with iconv -f UTF-16 -t UTF-8"
	}
	return failed(ExitUsage, hint, fmt.Errorf("%s is not UTF-8 text (byte %d)", what, wrongByte(text)+1))
}

// wrongByte is where the first byte stands that is not UTF-8.
func wrongByte(text string) int {
	for i, r := range text {
		if _, n := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return len(text)
}

// textArguments refuses arguments that are not UTF-8, as a terminal with another
// encoding gives them. A file may have any name that the system lets it have.
func textArguments(args []string) error {
	if len(args) > 0 && strings.HasPrefix(args[0], "__complete") {
		return nil // nothing comes of what is only half typed
	}
	var errs []error
	for _, arg := range args {
		name := arg
		if flag, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(flag, "--") {
			name = value
		}
		if utf8.ValidString(arg) {
			continue
		}
		if _, err := os.Lstat(name); err != nil {
			errs = append(errs, isText(fmt.Sprintf("the argument %q", arg), arg))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errors.Join(errs...)
}
