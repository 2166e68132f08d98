package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
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
		all  bool
		part paging
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
	part.flags(cmd)
	cmd.Flags().Lookup("limit").DefValue, part.limit = strconv.Itoa(maxMatches), maxMatches
	cmd.Flags().Lookup("limit").Usage = "list at most `N` matches"
	cmd.MarkFlagsMutuallyExclusive("project", "all")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text := strings.TrimSpace(args[0])
		if text == "" {
			return failed(ExitUsage, `give a word or more: belay session search "…"`, errors.New("there is nothing to search for"))
		}
		if part.limit < 1 {
			return usage("--limit must be 1 or more")
		}
		window, err := part.window()
		if err != nil {
			return err
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
			found, err := search(ctx, c, a, recs, pattern, window)
			if err != nil {
				return err
			}
			next := window.rest().NextCursor
			if c.json {
				return c.writeJSON(searched{orEmpty(found), next != "", next})
			}
			t := &table{heads: []string{"SESSION", "TIME", "BY", "TEXT"}}
			for _, m := range found {
				t.add(m.SessionID, when(m.Time.Time), m.By, m.Text)
			}
			c.print(t, "nothing was found")
			if next != "" {
				c.warn(fmt.Sprintf("there are more than %d matches; raise --limit, or go on with --cursor %s", part.limit, next))
			}
			return nil
		})
	}
	return cmd
}

// searched is the answer of a search as JSON. The search ends with the page, so nobody knows
// how many matches there are.
type searched struct {
	Matches    []match `json:"matches"`
	More       bool    `json:"more"`
	NextCursor string  `json:"nextCursor,omitempty"`
}

// search looks through sessions, in their order, for the matches of a window, and for one
// more. It warns of each session that cannot be read.
func search(ctx context.Context, c *console, a *app.App, recs []session.Record, pattern *regexp.Regexp, w *window) (found []match, err error) {
	for _, rec := range recs {
		entries, err := a.Engine.Transcript(ctx, rec.SessionID)
		if fault.Is(err, fault.SessionNotFound) {
			continue // deleted meanwhile
		}
		if session.Unusable(err) {
			_, why, _, _ := explain(nil, err)
			c.warn("not searched: " + why)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			for _, p := range said(e) {
				at := pattern.FindStringIndex(p.text)
				if at == nil {
					continue
				}
				if w.takes() {
					found = append(found, match{rec.SessionID, e.Turn, e.Time, p.by, around(p.text, at)})
				} else if w.over() {
					return found, nil
				}
			}
		}
	}
	return found, nil
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
