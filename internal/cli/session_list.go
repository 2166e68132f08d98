package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/session"
)

// listed is a session in a list: its record, and the turn that runs in it.
type listed struct {
	session.Record
	Running *runningTurn `json:"running,omitempty"`
}

// runningTurn says which turn runs in a session, and in which process.
type runningTurn struct {
	TurnID string `json:"turnId"`
	PID    int    `json:"pid"`
}

func newSessionList(c *console) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the sessions of a project, oldest first",
		Example: "  belay session list\n  belay session list --project ~/projects/bridge --json\n  belay session list --all",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "list the project in `DIR` (default: the current folder)")
	cmd.Flags().BoolVar(&all, "all", false, "list the sessions of every project")
	cmd.MarkFlagsMutuallyExclusive("project", "all")
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.rooms(cmd, func(ctx context.Context, a *app.App) error {
			recs, err := c.sessions(ctx, a, all)
			if err != nil {
				return err
			}
			rows := make([]listed, 0, len(recs))
			for _, r := range recs {
				rows = append(rows, listed{Record: r, Running: runningIn(a, r.SessionID)})
			}
			if asJSON {
				return c.writeJSON(map[string]any{"sessions": rows})
			}
			c.printSessions(rows, all)
			return nil
		})
	}
	return cmd
}

// sessions returns the records to list, and tells of those that can not be.
func (c *console) sessions(ctx context.Context, a *app.App, all bool) ([]session.Record, error) {
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
	for _, id := range ids {
		r, err := a.Engine.Get(ctx, id)
		if fault.Is(err, fault.SessionNotFound) {
			continue // its project is gone, or not mounted now
		}
		if err != nil {
			return nil, err
		}
		recs = append(recs, r)
	}
	return recs, nil
}

func runningIn(a *app.App, id string) *runningTurn {
	if turnID, pid, ok := a.Store.Running(id); ok {
		return &runningTurn{TurnID: turnID, PID: pid}
	}
	return nil
}

func (c *console) printSessions(rows []listed, withProject bool) {
	t := &table{heads: []string{"SESSION", "UPDATED", "PERSONA", "MODE", "MODEL", "STATE"}}
	if withProject {
		t.heads = append(t.heads, "PROJECT")
	}
	for _, r := range rows {
		state := "idle"
		switch {
		case r.Running != nil:
			state = "running in " + strconv.Itoa(r.Running.PID)
		case r.ReadOnly:
			state = "copy, read-only"
		}
		t.add(r.SessionID, when(r.UpdatedAt.Time), r.Persona, r.Mode, r.Model, state, r.ProjectRoot)
	}
	c.print(t, "no sessions")
}
