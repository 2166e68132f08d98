package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/quantity"
	"belay/internal/session"
)

// listed is a session in a list: its record, how it began, and the turn that runs
// in it.
type listed struct {
	session.Record
	FirstMessage string       `json:"firstMessage,omitempty"`
	Running      *runningTurn `json:"running,omitempty"`
	// OpenQuestions is how many questions of the session wait for an answer.
	OpenQuestions int `json:"openQuestions,omitempty"`

	files int // that came with the first message
}

// runningTurn says which turn runs in a session, and in which process.
type runningTurn struct {
	TurnID string `json:"turnId"`
	PID    int    `json:"pid"`
}

func newSessionList(c *console) *cobra.Command {
	var (
		all  bool
		part paging
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions of a project, newest first",
		Long: `List the sessions of a project with their first message, the last used first. On a
terminal each id is cut to a unique prefix, which every command accepts. A terminal gets
the last 30 sessions unless you pass --limit; a pipe and --json get all. The list shows
five sessions of each workflow run; belay runs show and --json have all.`,
		Example: "  belay session list\n  belay session list --limit 100\n  belay session list --project ~/projects/bridge --json\n  belay session list --all",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "list the project in `DIR` (default: the one that encloses the current folder)")
	cmd.Flags().BoolVar(&all, "all", false, "list the sessions of every project")
	part.flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("project", "all")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if part.limit < 0 {
			return usage("--limit must be 0 or more")
		}
		o := session.ListOptions{Limit: part.limit, Cursor: part.cursor, Recent: true}
		if !cmd.Flags().Changed("limit") && c.outTerminal && !c.json {
			o.Limit = shownSessions
		}
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error {
			page, err := sessionPage(ctx, c, a, all, o)
			if err != nil {
				return err
			}
			asked, err := openQuestions(ctx, a)
			if err != nil {
				return err
			}
			rows := make([]listed, 0, len(page.Records))
			for _, r := range page.Records {
				opening, err := a.Store.OpeningOf(&r)
				if err != nil && !session.Unusable(err) {
					return err
				}
				rows = append(rows, listed{
					Record: r, FirstMessage: opening.Message, Running: runningIn(a, r.SessionID), OpenQuestions: asked[r.SessionID], files: len(opening.Attachments),
				})
			}
			if c.json {
				return c.writeJSON(struct {
					Sessions []listed `json:"sessions"`
					rest
				}{rows, rest{page.Next, page.More}})
			}
			var known []string
			if c.width > 0 { // only then are ids shortened
				if known, err = a.Store.IDs(ctx); err != nil {
					return err
				}
			}
			rows, folded := foldRuns(rows)
			printSessions(c, rows, known, all)
			for _, f := range folded {
				c.note("run", fmt.Sprintf("%s: %s; belay runs show %s lists them", f.id, quantity.Count(f.more, "more session", "more sessions"), f.id))
			}
			if page.More > 0 {
				c.note("more", quantity.Count(page.More, "session", "sessions")+" not listed; raise --limit, or list all with --limit 0")
			}
			return nil
		})
	}
	return cmd
}

// foldedRun is a run with sessions that a list leaves out.
type foldedRun struct {
	id   string
	more int
}

// shownOfRun is how many sessions of one run a list shows.
const shownOfRun = 5

// foldRuns leaves out the sessions of a run beyond the first ones: they are listed under
// the run. A session's title ends with its run's id.
func foldRuns(rows []listed) (shown []listed, folded []foldedRun) {
	seen, at := map[string]int{}, map[string]int{}
	for _, r := range rows {
		_, id, ok := strings.Cut(r.Title, ", run_")
		if !ok {
			shown = append(shown, r)
			continue
		}
		id = "run_" + id
		if seen[id]++; seen[id] <= shownOfRun {
			shown = append(shown, r)
			continue
		}
		if _, ok := at[id]; !ok {
			at[id] = len(folded)
			folded = append(folded, foldedRun{id: id})
		}
		folded[at[id]].more++
	}
	return shown, folded
}

// shownSessions is how many sessions a terminal gets unless it asks for another
// number.
const shownSessions = 30

// sessionPage returns a part of the records.
func sessionPage(ctx context.Context, c *console, a *app.App, all bool, o session.ListOptions) (session.Page, error) {
	if all {
		recs, err := readSessions(ctx, c, a, true)
		if err != nil {
			return session.Page{}, err
		}
		return session.PageOf(recs, o)
	}
	project, err := projectDir(a.Config)
	if err != nil {
		return session.Page{}, err
	}
	return a.Engine.ListPage(ctx, project, o)
}

// readSessions returns the records to list, and reports those that cannot be.
func readSessions(ctx context.Context, c *console, a *app.App, all bool) ([]session.Record, error) {
	if !all {
		project, err := projectDir(a.Config)
		if err != nil {
			return nil, err
		}
		return a.Engine.List(ctx, project)
	}
	ids, err := a.Store.IDs(ctx)
	if err != nil {
		return nil, err
	}
	var recs []session.Record
	shown := map[string]bool{} // a project is often that of many sessions
	for _, id := range ids {
		r, err := a.Store.Listed(ctx, id)
		switch {
		case err == nil:
			recs = append(recs, r)
		case fault.Is(err, fault.SessionNotFound): // deleted, but for its entry in the index
		case fault.Is(err, fault.WorkingRootInaccessible):
			if _, why, _, _ := explain(nil, err); !shown[why] {
				shown[why] = true
				c.warn("left out: " + why)
			}
		default:
			return nil, err
		}
	}
	return recs, nil
}

// openQuestions counts the questions that wait, by session.
func openQuestions(ctx context.Context, a *app.App) (map[string]int, error) {
	open, err := a.Engine.Decisions(ctx, "")
	n := map[string]int{}
	for _, q := range open {
		n[q.SessionID]++
	}
	return n, err
}

func runningIn(a *app.App, id string) *runningTurn {
	if turnID, pid, ok := a.Store.Signals.Running(id); ok {
		return &runningTurn{TurnID: turnID, PID: pid}
	}
	return nil
}

// printSessions prints the list. Known are all ids there are: what is shown of an
// id must be the beginning of no other.
func printSessions(c *console, rows []listed, known []string, withProject bool) {
	t := &table{heads: []string{"SESSION", "UPDATED", "STATE", "MESSAGE"}, preview: 4}
	if withProject {
		t.heads = append(t.heads, "PROJECT")
	}
	short := shortener(c, append(known, idsOf(rows, func(r listed) string { return r.SessionID })...))
	for _, r := range rows {
		state := "idle"
		switch {
		case r.OpenQuestions > 0:
			state = "waits for you"
		case r.Running != nil:
			state = "running in " + strconv.Itoa(r.Running.PID)
		case r.ReadOnly:
			state = "copy, read-only"
		case r.Damaged != "":
			state, r.FirstMessage = "damaged", r.Damaged
		}
		message := clip(line(r.FirstMessage), maxListed)
		if r.Title != "" {
			message = clip(line(r.Title), maxListed)
		}
		if message == "" && r.files > 0 {
			message = "(" + quantity.Count(r.files, "file", "files") + ")"
		}
		t.add(short(r.SessionID), when(r.UpdatedAt.Time), state, message, r.ProjectRoot)
	}
	c.print(t, "no sessions")
}

// maxListed is how much of a message a list shows at most, in columns.
const maxListed = 160
