package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"belay/internal/authored"
)

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
