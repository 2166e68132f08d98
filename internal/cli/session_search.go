package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/session"
)

// maxMatches bounds what a search prints unless the caller says otherwise.
const maxMatches = 100

// match is one place where a text was found.
type match struct {
	SessionID string       `json:"sessionId"`
	TurnID    string       `json:"turnId"`
	Time      session.Time `json:"time"`
	// By is who said it: you, the agent, or a tool.
	By string `json:"by"`
	// Text is the line in which it was found, cut where that is long.
	Text string `json:"text"`
}

func newSessionSearch(c *console) *cobra.Command {
	var (
		all, asJSON bool
		most        int
	)
	cmd := &cobra.Command{
		Use:   "search TEXT",
		Short: "Search the sessions of a project",
		Long: `Search the sessions of a project for a text: messages, answers, tool calls and their
results. Case does not matter.`,
		Example: "  belay session search \"retaining wall\"\n  belay session search budget --all --json",
		Args:    cobra.ExactArgs(1),
	}
	setting(cmd, "project", "project", "search the project in `DIR` (default: the one that encloses the current folder)")
	cmd.Flags().BoolVar(&all, "all", false, "search the sessions of every project")
	cmd.Flags().IntVar(&most, "max", maxMatches, "stop after `N` matches")
	cmd.MarkFlagsMutuallyExclusive("project", "all")
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text := strings.TrimSpace(args[0])
		if text == "" {
			return failed(ExitUsage, `give a word or more: belay session search "…"`, errors.New("there is nothing to search for"))
		}
		if most < 1 {
			return usage("--max must be 1 or more")
		}
		pattern, err := regexp.Compile("(?i)" + regexp.QuoteMeta(strings.ToValidUTF8(text, "")))
		if err != nil {
			return usage("the text cannot be searched for: %v", err)
		}
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error {
			recs, err := readSessions(ctx, c, a, all)
			if err != nil {
				return err
			}
			found, more, err := search(ctx, a, recs, pattern, most)
			if err != nil {
				return err
			}
			if asJSON {
				return c.writeJSON(map[string]any{"matches": orEmpty(found), "more": more})
			}
			t := &table{heads: []string{"SESSION", "TIME", "BY", "TEXT"}, elastic: 4}
			for _, m := range found {
				t.add(m.SessionID, when(m.Time.Time), m.By, m.Text)
			}
			c.print(t, "nothing was found")
			if more {
				c.warn(fmt.Sprintf("there are more than %d matches; raise --max to see them", most))
			}
			return nil
		})
	}
	return cmd
}

// search looks through sessions, in their order, for at most so many matches.
func search(ctx context.Context, a *app.App, recs []session.Record, pattern *regexp.Regexp, most int) (found []match, more bool, err error) {
	for _, rec := range recs {
		entries, err := a.Engine.Transcript(ctx, rec.SessionID)
		if fault.Is(err, fault.SessionNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, false, err
		}
		for _, e := range entries {
			for _, p := range said(e) {
				at := pattern.FindStringIndex(p.text)
				if at == nil {
					continue
				}
				if len(found) == most {
					return found, true, nil
				}
				found = append(found, match{rec.SessionID, e.Turn, e.Time, p.by, around(p.text, at)})
			}
		}
	}
	return found, false, nil
}

// piece is something that was said, and by whom.
type piece struct{ by, text string }

// said are the texts of an entry.
func said(e session.Entry) (all []piece) {
	if e.Message != "" {
		all = append(all, piece{"you", e.Message})
	}
	for _, b := range e.Blocks {
		switch b.Type {
		case session.BlockText:
			all = append(all, piece{"agent", b.Text})
		case session.BlockToolCall:
			all = append(all, piece{"agent", b.Name + " " + string(b.Input)})
		case session.BlockToolResult:
			all = append(all, piece{b.Name, b.Text})
		}
	}
	return all
}

// aroundBytes is how much of a line is shown before a match, and after its start.
const aroundBytes = 60

// around is the line of a match, or the part of it that is near.
func around(text string, at []int) string {
	from := strings.LastIndexByte(text[:at[0]], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[at[0]:], '\n'); i >= 0 {
		to = at[0] + i
	}
	before, after := "", ""
	if at[0]-from > aroundBytes {
		from, before = at[0]-aroundBytes, "…"
		for !utf8.RuneStart(text[from]) {
			from++
		}
	}
	if end := max(at[0]+2*aroundBytes, at[1]); to > end {
		to, after = end, "…"
		for to > at[0] && !utf8.RuneStart(text[to]) {
			to--
		}
	}
	return before + line(text[from:to]) + after
}
