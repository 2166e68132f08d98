package cli

import (
	"strconv"

	"belay/internal/workspace/finding"
)

// printFindings lists findings below what a command has to say, each with its next
// step.
func (c *console) printFindings(all []finding.Finding) {
	for _, f := range all {
		place := f.Path
		if f.Line > 0 {
			place += ":" + strconv.Itoa(f.Line)
		}
		style := styleHint
		if f.Severity == finding.Error {
			style = styleError
		}
		c.write("\n" + c.paint(style, string(f.Severity)) + " " + line(f.Code) + " " + line(place) + "\n")
		c.write("  " + hang(clean(f.Message), c.width, 2) + "\n")
		if f.Fix != "" {
			c.write("  " + hang("fix: "+clean(f.Fix), c.width, 2) + "\n")
		}
	}
}

// verdict is the end of a command that looked for findings.
func verdict(all []finding.Finding) error {
	if errors, _ := finding.Count(all); errors > 0 {
		return ended(ExitFailed)
	}
	return nil
}
