package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/authored"
)

// The exit codes of every command.
const (
	ExitDone        = 0   // it did what was asked
	ExitFailed      = 1   // it found problems, or the turn failed
	ExitUsage       = 2   // the command line or the configuration is wrong
	ExitNotFound    = 3   // what the command is about does not exist or cannot be used
	ExitTimedOut    = 124 // a time limit ended the turn
	ExitInterrupted = 130 // Ctrl-C, SIGTERM or an interrupt from elsewhere
)

// failure is an error with an exit code and a next step. A silent one was
// already reported to the user.
type failure struct {
	code   int
	hint   string
	silent bool
	err    error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// usage is a command line that cannot be carried out as it is.
func usage(format string, args ...any) error {
	return &failure{code: ExitUsage, err: fmt.Errorf(format, args...)}
}

// asUsage is err as a wrong command line, unless it says itself what it is.
func asUsage(err error) error {
	if own := (*failure)(nil); errors.As(err, &own) {
		return err
	}
	return &failure{code: ExitUsage, err: err}
}

// failed is any other failure of a command, with its next step.
func failed(code int, hint string, err error) error {
	return &failure{code: code, hint: hint, err: err}
}

// ended is the exit code of something whose story has been printed.
func ended(code int) error {
	if code == ExitDone {
		return nil
	}
	return &failure{code: code, silent: true, err: fmt.Errorf("exit code %d", code)}
}

// report prints err as error: and hint: lines and returns the exit code.
func (c *console) report(cmd *cobra.Command, err error) int {
	if err == nil {
		return ExitDone
	}
	code, message, hint, silent := explain(cmd, err)
	if !silent {
		c.tell(c.paint(styleError, "error:"), message)
		if hint != "" {
			c.tell(c.paint(styleHint, "hint:"), c.typeable(hint, len("hint: ")))
		}
	}
	return code
}

// problems gathers what is wrong with a command line, so that a person corrects all
// of it at once and nothing is sent before.
type problems struct{ all []error }

// add notes an error, each one of several by itself. The same one is noted once, and
// nil is none.
func (p *problems) add(err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			p.add(e)
		}
		return
	}
	if err == nil || slices.ContainsFunc(p.all, func(e error) bool { return e.Error() == err.Error() }) {
		return
	}
	p.all = append(p.all, err)
}

// none reports whether nothing is wrong so far.
func (p *problems) none() bool { return len(p.all) == 0 }

// err is the failure of the command, nil where nothing is wrong. A single problem
// keeps its exit code; several are a wrong command line.
func (p *problems) err() error {
	switch len(p.all) {
	case 0:
		return nil
	case 1:
		return p.all[0]
	}
	lines := []string{fmt.Sprintf("%d things are wrong, and nothing was sent:", len(p.all))}
	hints := authored.Hints{}
	for _, err := range p.all {
		_, message, hint, _ := explain(nil, err)
		lines = append(lines, message)
		if hints.Show(hint) {
			lines = append(lines, "  "+hint)
		}
	}
	return failed(ExitUsage, "correct what is named above, then send it again", errors.New(strings.Join(lines, "\n")))
}
