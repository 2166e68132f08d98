package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/lazyregexp"
)

// printHelp prints what show writes of a command, wrapped to the terminal.
func printHelp(c *console, cmd *cobra.Command, show func()) {
	if c.width == 0 {
		show()
		return
	}
	out := cmd.OutOrStdout()
	var b bytes.Buffer
	cmd.SetOut(&b)
	show()
	cmd.SetOut(out)
	_, _ = io.WriteString(out, wrapHelp(b.String(), c.width)) // the sink keeps its first error
}

// helpHeads begin the parts of a help, verbatimHeads those whose lines are there to be
// copied, and stay whole.
var (
	helpHeads     = []string{"Usage:", "Aliases:", "Examples:", "Available Commands:", "Flags:", "Global Flags:"}
	verbatimHeads = helpHeads[:3]
)

// listLine is a line of a list: a name, two or more spaces, and what it means.
var listLine = lazyregexp.New(`^( +\S+(?: \S+)* {2,})(\S.*)$`)

// wrapHelp wraps a help to a width. Lines that follow each other are one paragraph; lists
// keep their columns, or have what a name means below it where the window is narrow.
func wrapHelp(text string, width int) string {
	var b strings.Builder
	verbatim, paragraph := false, []string{}
	flush := func() {
		if len(paragraph) > 0 {
			b.WriteString(hang(strings.Join(paragraph, " "), width, 0) + "\n")
			paragraph = nil
		}
	}
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if slices.Contains(helpHeads, l) {
			verbatim = slices.Contains(verbatimHeads, l)
		} else if l != "" && l[0] != ' ' && !verbatim {
			paragraph = append(paragraph, l)
			continue
		}
		flush()
		if !verbatim {
			l = wrapListed(l, width)
		}
		b.WriteString(l + "\n")
	}
	flush()
	return b.String()
}

// belowName is how far the meaning of a name is set in below it.
const belowName = 10

// wrapListed wraps a line of a list, or one that is only set in.
func wrapListed(l string, width int) string {
	if cells(l) <= width {
		return l
	}
	m := listLine.FindStringSubmatch(l)
	switch {
	case m == nil:
		lead := len(l) - len(strings.TrimLeft(l, " "))
		return l[:lead] + hang(l[lead:], width, lead)
	case cells(m[1]) > width/2:
		return strings.TrimRight(m[1], " ") + "\n" + strings.Repeat(" ", belowName) + hang(m[2], width, belowName)
	}
	return m[1] + hang(m[2], width, cells(m[1]))
}
