package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/session"
	"belay/internal/turn"
)

func newSessionTranscript(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "transcript SESSION",
		Short:   "Print what was said in a session",
		Example: "  belay session transcript sess_2f4c8e0a\n  belay session transcript sess_2f4c8e0a --json | jq -r .entries[].message",
		Args:    needsSession,
	}
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.inSession(cmd, args[0], func(ctx context.Context, a *app.App, id string) error {
			before := runningIn(a, id)
			entries, err := a.Engine.Transcript(ctx, id)
			if err != nil {
				return err
			}
			if asJSON {
				return c.writeJSON(map[string]any{"sessionId": id, "entries": orEmpty(entries)})
			}
			for _, e := range entries {
				c.printEntry(e)
			}
			if open(entries) {
				if before == nil && runningIn(a, id) == nil {
					c.write("── " + diedHere + "\n\n")
				} else {
					c.write("── this turn is still running\n\n")
				}
			}
			return nil
		})
	}
	return cmd
}

// open reports whether the last turn has no end.
func open(entries []session.Entry) bool {
	for _, e := range slices.Backward(entries) {
		if e.Kind != session.EntryUndo { // which comes after an end
			return e.Kind != session.EntryEnd
		}
	}
	return false
}

// printEntry prints one line of a transcript as a person reads it.
func (c *console) printEntry(e session.Entry) {
	switch e.Kind {
	case session.EntryTurn:
		c.write(fmt.Sprintf("── you, %s, %s\n", when(e.Time.Time), e.Turn))
		c.printSaid(e)
	case session.EntryInput:
		how := "into the turn"
		if e.Mode == session.FollowUp {
			how = "after the answer"
		}
		c.write(fmt.Sprintf("── you, %s, %s\n", when(e.Time.Time), how))
		c.printSaid(e)
	case session.EntryAssistant:
		c.write(fmt.Sprintf("── %s, %s%s\n", line(e.Model), when(e.Time.Time), ofAgent(e)))
		c.printBlocks(e.Blocks)
		if e.Partial {
			c.write("  (cut off here)\n")
		}
	case session.EntryTools:
		c.write("── tools" + ofAgent(e) + "\n")
		c.printBlocks(e.Blocks)
		for _, change := range e.Changes {
			c.write("  " + hang(changed(change), c.width, 4) + "\n")
		}
	case session.EntrySummary:
		c.write("── the turns up to " + e.Through + ", in short, for a model that cannot hold them\n")
		c.paragraph(e.Summary)
	case session.EntryUndo:
		by := ""
		if e.By != "" {
			by = " by " + line(e.By)
		}
		c.write(hang(fmt.Sprintf("── the changes of %s were taken back%s, %s: %s", e.Turn, by, when(e.Time.Time), line(strings.Join(e.Paths, ", "))), c.width, 3) + "\n\n")
	case session.EntryEnd:
		c.write("── " + endOf(e) + "\n\n")
	}
}

// printSaid prints what a person said, and the files that came with it.
func (c *console) printSaid(e session.Entry) {
	c.paragraph(e.Message)
	for _, it := range e.Attachments {
		c.write("  attached " + hang(line(describe(it)), c.width, 4) + "\n")
	}
	if e.Warning != "" {
		c.write("  " + hang(clean(e.Warning), c.width, 4) + "\n")
	}
}

// ofAgent marks the lines of a subagent.
func ofAgent(e session.Entry) string {
	if e.Agent == "" {
		return ""
	}
	return ", of the agent that call " + line(e.Agent) + " started"
}

// changed says what became of a file.
func changed(c session.Change) string {
	path := line(c.Path)
	switch {
	case c.Restored:
		return "put back " + path + ", which a command must not change"
	case c.AfterMode.IsDir():
		return "made the folder " + path
	case c.Before == "" && c.Lost == "":
		return "made " + path + ", " + size(c.AfterBytes)
	case c.After == "":
		return "removed " + path
	}
	return "changed " + path + ", " + size(c.AfterBytes)
}

func (c *console) printBlocks(blocks []session.Block) {
	for _, b := range blocks {
		switch b.Type {
		case session.BlockText:
			c.paragraph(b.Text)
		case session.BlockThinking:
			c.write("  thinking: " + hang(clean(b.Text), c.width, 4) + "\n")
		case session.BlockToolCall:
			c.write("  calls " + hang(line(b.Name+" "+string(b.Input)), c.width, 4) + "\n")
		case session.BlockToolResult:
			verdict := "result of"
			if b.Failed {
				verdict = "failure of"
			}
			c.write("  " + verdict + " " + hang(line(b.Name)+"\n"+clean(b.Text), c.width, 4) + "\n")
			for _, it := range b.Items {
				c.write("    showed " + hang(line(describe(it)), c.width, 6) + "\n")
			}
		}
	}
}

func (c *console) paragraph(s string) {
	if s = strings.TrimRight(clean(s), "\n"); s != "" {
		c.write(hang(s, c.width, 0) + "\n")
	}
}

// diedHere says how a turn ended that nobody ended.
const diedHere = "the process that ran this turn died here"

// endOf says how a turn ended.
func endOf(e session.Entry) string {
	var parts []string
	switch {
	case e.StopReason == turn.StopProcessEnded:
		parts = append(parts, diedHere)
	case e.ExitCode == nil:
		parts = append(parts, "ended")
	case *e.ExitCode == ExitDone && e.StopReason != "":
		parts = append(parts, "ended: "+line(e.StopReason))
	case *e.ExitCode == ExitInterrupted:
		parts = append(parts, "interrupted")
	case *e.ExitCode == ExitTimedOut:
		parts = append(parts, "timed out")
	default:
		parts = append(parts, fmt.Sprintf("failed, exit code %d", *e.ExitCode))
	}
	if e.Usage != nil {
		parts = append(parts, tokens(*e.Usage))
	}
	return strings.Join(parts, "; ")
}
