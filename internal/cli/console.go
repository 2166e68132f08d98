package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"belay/internal/config"
	"belay/internal/openrouter"
)

// console is where a command reads and writes, and what is known about it.
type console struct {
	in  io.Reader
	out *sink
	err *sink
	env map[string]string

	outTerminal, errTerminal bool
	// outColour and errColour say which of the two streams is coloured; width is the
	// terminal's columns, 0 for no limit.
	outColour, errColour bool
	width                int
	// json is the --json flag of the command that runs.
	json bool
	// quiet leaves out notes about progress.
	quiet bool

	// signals are those that the process hears, nil for none.
	signals *signals

	// openRouter is how belay setup --login reaches the service.
	openRouter openrouter.Options

	// configFile is the --config flag, common to all commands.
	configFile string
	// projectGiven says that the command line names the project.
	projectGiven bool
	// ran is set once a command has begun.
	ran bool
	// wrongHelp is set where help was asked for of a command that there is not.
	wrongHelp error
}

func newConsole(in io.Reader, out, errs io.Writer, env []string) *console {
	c := &console{in: in, env: config.Environ(env)}
	c.outTerminal, c.errTerminal = isTerminal(out), isTerminal(errs)
	c.out = &sink{w: out}
	c.err = &sink{w: errs}
	c.outColour, c.errColour = takesColour(c.env, c.outTerminal), takesColour(c.env, c.errTerminal)
	c.width = columns(c.env["COLUMNS"], out, errs)
	return c
}

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// takesColour reports whether a stream is coloured where the command line does not say.
func takesColour(env map[string]string, terminal bool) bool {
	return terminal && env["NO_COLOR"] == "" && env["TERM"] != "dumb"
}

// setColour takes the value of --color.
func setColour(c *console, when string) error {
	switch when {
	case "auto":
	case "always":
		c.outColour, c.errColour = true, true
	case "never":
		c.outColour, c.errColour = false, false
	default:
		return usageHint("write auto, always or never", "--color: %q is none of them", when)
	}
	return nil
}

// minWidth is the narrowest layout; below it lines just run over.
const minWidth = 20

// columns is the width to lay out for: COLUMNS where it is set, else that of the
// terminal, else none.
func columns(set string, streams ...io.Writer) int {
	if n, err := strconv.Atoi(set); err == nil && n > 0 {
		return max(n, minWidth)
	}
	for _, s := range streams {
		f, ok := s.(*os.File)
		if !ok {
			continue
		}
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, minWidth)
		}
	}
	return 0
}

// style is a way of setting off a word on stderr.
type style string

const (
	styleError style = "\x1b[1;31m"
	styleWarn  style = "\x1b[33m"
	styleHint  style = "\x1b[36m"
	styleQuiet style = "\x1b[2m"
)

// paint colours a word for stderr where that is wanted.
func (c *console) paint(s style, word string) string {
	return painted(c.errColour, s, word)
}

// tell prints a labelled sentence on stderr, wrapped under its label. The label
// is our own and may be painted; the text may come from anywhere.
func (c *console) tell(label, text string) {
	_, _ = io.WriteString(c.err, label+" "+hang(clean(text), c.width, cells(label)+1)+"\n") // the sink keeps its first error
}

// noteCells is the column in which what a note says begins.
const noteCells = 10

// note is tell for progress: quiet, and in two columns.
func (c *console) note(label, text string) {
	if c.quiet {
		return
	}
	c.tell(c.paint(styleQuiet, pad(label, noteCells-1)), text)
}

// warn is tell for what a person should know.
func (c *console) warn(text string) { c.tell(c.paint(styleWarn, "warning:"), text) }
