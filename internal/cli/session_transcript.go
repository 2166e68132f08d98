package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/session"
)

func newSessionTranscript(c *console) *cobra.Command {
	var full, asHTML bool
	cmd := &cobra.Command{
		Use:   "transcript SESSION",
		Short: "Print the conversation of a session",
		Long: `Print the conversation of a session and the agent's actions. Long results and reasoning
are cut to their first lines; --full prints everything. --html writes one page to share, which
loads nothing from anywhere. It has everything that the agent said and did.`,
		Example: "  belay session transcript sess_2f4c8e0a\n  belay session transcript sess_2f4c8e0a --full | less\n  belay session transcript sess_2f4c8e0a --html > conversation.html\n  belay session transcript sess_2f4c8e0a --json | jq -r .entries[].message",
		Args:    needsSession,
	}
	jsonFlag(c, cmd)
	cmd.Flags().BoolVar(&full, "full", false, "show results, inputs and reasoning in full")
	cmd.Flags().BoolVar(&asHTML, "html", false, "write a page of HTML")
	cmd.MarkFlagsMutuallyExclusive("html", "json", "full")
	cmd.RunE = sessionCommand(c, func(ctx context.Context, a *app.App, id string, _ []string) error {
		before := runningIn(a, id)
		entries, err := a.Engine.Transcript(ctx, id)
		if err != nil {
			return err
		}
		if asHTML {
			rec, err := a.Engine.Get(ctx, id)
			if err != nil {
				return err
			}
			return writeHTML(c.out, rec, entries, time.Now())
		}
		if c.json {
			return c.writeJSON(map[string]any{"sessionId": id, "entries": orEmpty(entries)})
		}
		p := &transcript{c: c, full: full, calls: map[string]session.Block{}}
		for _, e := range entries {
			p.entry(e)
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
	return cmd
}

// open reports whether the last turn has no end.
func open(entries []session.Entry) bool {
	for _, e := range slices.Backward(entries) {
		if e.Kind != session.EntryUndo && e.Kind != session.EntryChanges { // which come after an end
			return e.Kind != session.EntryEnd
		}
	}
	return false
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
	case e.StopReason == session.StopProcessEnded:
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
	if e.Error != "" {
		parts = append(parts, line(e.Error))
	}
	if e.Usage != nil {
		parts = append(parts, tokens(*e.Usage))
	}
	return strings.Join(parts, "; ")
}
