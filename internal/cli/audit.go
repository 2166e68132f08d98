package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/quantity"
)

func newAudit(c *console) *cobra.Command {
	return group("audit", "List and check the log of decisions, refusals and undos", "  belay audit list\n  belay audit verify", newAuditList(c), newAuditVerify(c))
}

func newAuditVerify(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that nobody changed the audit log",
		Long: `Check that nobody changed the audit log. Every line carries the hash of the line before
it, and a second file holds the last hash. So belay finds lines that were changed, added,
removed or cut off. Sessions record the position of the log at the end of each turn.
belay compares these positions, for every known project, to find out whether the whole log
was removed or replaced. The exit code is 1 if something is wrong.`,
		Example: "  belay audit verify\n  belay audit verify --json",
		Args:    cobra.NoArgs,
	}
	jsonFlag(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, _ []string) error { return verifyAudit(ctx, c, a) })
	return cmd
}

func verifyAudit(ctx context.Context, c *console, a *app.App) error {
	v, err := a.VerifyAudit(ctx)
	if err != nil {
		return err
	}
	switch {
	case c.json:
		if err := c.writeJSON(v); err != nil {
			return err
		}
	case v.Whole:
		c.fields("file", v.File, "lines", quantity.Count(v.Lines, "line", "lines")+", as they were written",
			"compared", "with "+quantity.Count(v.Sessions, "session", "sessions"))
	}
	if !v.Whole {
		return failed(ExitFailed, "compare "+v.File+" with a backup; what comes after that line proves nothing", errors.New(v.Problem))
	}
	return nil
}

// auditList is a part of the log as JSON, the newest entry first.
type auditList struct {
	ProjectRoot string            `json:"projectRoot,omitempty"`
	Entries     []permit.Recorded `json:"entries"`
	NextCursor  string            `json:"nextCursor,omitempty"`
	// Unreadable is how many lines were passed over that are no entries.
	Unreadable int `json:"unreadable,omitempty"`
}

// auditPage is how many entries are listed unless the command line says otherwise.
const auditPage = 100

func newAuditList(c *console) *cobra.Command {
	var (
		part         paging
		all          bool
		since        string
		kind, person string
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what the audit log has of a project, newest first",
		Long: `List the decisions, refusals, transitions and changes that the audit log has of a project,
the newest first: 100 of them unless you pass --limit, which takes up to 500. An act with the
verdict begins went on the log before it was done; a later line with the verdict failed says
that it was not done after all.`,
		Example: "  belay audit list\n  belay audit list --kind decision --since 7d\n  belay audit list --all --json | jq -r '.entries[].kind'",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "list the project in `DIR` (default: the one that encloses the current folder)")
	cmd.Flags().BoolVar(&all, "all", false, "list the entries of every project")
	cmd.Flags().StringVar(&kind, "kind", "", "only entries of this `KIND`, such as decision, refusal, transition or undo")
	cmd.Flags().StringVar(&person, "actor", "", "only what the person or agent `NAME` did")
	cmd.Flags().StringVar(&since, "since", "", "only what is not older than `WHEN`: a day, or a time span like 7d")
	part.flags(cmd)
	cmd.Flags().Lookup("limit").DefValue, part.limit = strconv.Itoa(auditPage), auditPage
	cmd.Flags().Lookup("limit").Usage = "list at most `N` entries"
	cmd.MarkFlagsMutuallyExclusive("project", "all")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if part.limit < 1 || part.limit > permit.MaxAuditPage {
			return usage("--limit must be 1 to %d", permit.MaxAuditPage)
		}
		f := permit.AuditFilter{Kind: kind, Actor: person}
		var err error
		if f.Since, err = sinceWhen(since, time.Now()); err != nil {
			return err
		}
		before := 0
		if part.cursor != "" {
			if before, _, err = readCursor(part.cursor); err != nil {
				return err
			}
		}
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		if !all {
			if f.Project, err = projectDir(cfg); err != nil {
				return err
			}
		}
		log, err := permit.OpenAudit(app.AuditPath(cfg.Paths.StateDir), time.Now)
		if err != nil {
			return err
		}
		page, err := log.Read(cmd.Context(), f, int64(before), part.limit)
		if err != nil {
			return err
		}
		l := auditList{ProjectRoot: f.Project, Entries: orEmpty(page.Entries), Unreadable: page.Unreadable}
		if page.Next > 0 {
			l.NextCursor = writeCursor(int(page.Next), "")
		}
		none := "the audit log has nothing of this project"
		if kind != "" || person != "" || since != "" {
			none = "no entry of the audit log matches"
		}
		return answer(c, l, func() { printAudit(c, l, none) })
	}
	return cmd
}

// printAudit prints a part of the log, and the project of each entry where it has those of
// all. None is what to say of an empty one.
func printAudit(c *console, l auditList, none string) {
	t := &table{heads: []string{"TIME", "KIND", "BY", "VERDICT", "WHAT"}}
	if l.ProjectRoot == "" {
		t.heads = slices.Insert(t.heads, 1, "PROJECT")
	}
	for _, e := range l.Entries {
		what := cmp.Or(e.Summary, e.Reason)
		if strings.HasPrefix(what, "{") { // the input of a tool
			what = e.Tool + " " + what
		}
		row := []string{when(e.Time), e.Kind, e.By, e.Verdict, what}
		if l.ProjectRoot == "" {
			row = slices.Insert(row, 1, e.Project)
		}
		t.add(row...)
	}
	c.print(t, none)
	if l.Unreadable > 0 {
		c.warn(quantity.Count(l.Unreadable, "line", "lines") + " could not be read; belay audit verify looks closer")
	}
	if l.NextCursor != "" {
		c.note("more", "older entries; go on with --cursor "+l.NextCursor)
	}
}
