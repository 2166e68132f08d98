package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/statusfile"
)

func newProjectStatus(c *console) *cobra.Command {
	var ask lifecycle.Request
	var accept string
	cmd := &cobra.Command{
		Use:   "status DELIVERABLE",
		Short: "Show the state of a deliverable, or change it",
		Long: `Show the state of a deliverable, its history, and the differences of its _STATUS.md from
the specification. --to makes a transition: the file gets a new state and an entry in its
history, in its own form; nothing else in it changes.

  OPEN            INITIALIZED     by 4_DOCUMENTS
  INITIALIZED     SEMANTIC_READY  by CHIRALITY_FRAMEWORK
  INITIALIZED     IN_PROGRESS     by HUMAN or WORKING_ITEMS
  SEMANTIC_READY  IN_PROGRESS     by HUMAN or WORKING_ITEMS
  IN_PROGRESS     CHECKING        by HUMAN, who approved a commit
  CHECKING        ISSUED          by HUMAN, who approved a commit

Name a deliverable by its id, its label or its folder, or by PACKAGE::ID if two packages
have that id. With --if the command does nothing unless the file still has that
etag.`,
		Example: "  belay project status DEL-01-02\n" +
			"  belay project status DEL-01-02 --to CHECKING --actor HUMAN --approval $(git rev-parse HEAD)",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&ask.To, "to", "", "go to `STATE`")
	cmd.Flags().StringVar(&ask.Actor, "actor", "", "as `ACTOR`")
	cmd.Flags().StringVar(&ask.ApprovalSHA, "approval", "", "the approved commit is `SHA`")
	cmd.Flags().StringVar(&ask.Note, "note", "", "write `TEXT` beside the entry of the history")
	cmd.Flags().StringVar(&ask.Date, "date", "", "the entry's date is `YYYY-MM-DD`, today without it")
	cmd.Flags().StringVar(&accept, "if", "", "only if the file's etag is `ETAG`")
	projectFlag(cmd)
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case ask.To == "" && (ask.Actor != "" || ask.ApprovalSHA != "" || ask.Note != "" || ask.Date != "" || accept != ""):
			return failed(ExitUsage, "name the state to go to with --to", errors.New("a transition needs a state"))
		case ask.To != "" && ask.Actor == "":
			return failed(ExitUsage, "say who makes the transition with --actor, such as --actor HUMAN", errors.New("a transition needs an actor"))
		}
		cfg, root, err := c.project(cmd)
		if err != nil {
			return err
		}
		d, err := deliverableNamed(cmd.Context(), root, args[0])
		if err != nil {
			return err
		}
		w, err := app.Transitions(cfg)
		if err != nil {
			return err
		}
		if ask.To == "" {
			s, err := statusfile.Read(d, w.Bytes)
			if err != nil {
				return err
			}
			return showStatus(c, s, nil)
		}
		change := statusfile.Change{Request: ask, By: statusfile.Asker{Name: c.person()}}
		if accept != "" {
			change.Match = func(hash string) bool { return hash == strings.Trim(accept, `"`) }
		}
		s, done, err := w.Change(cmd.Context(), d, change)
		if err != nil {
			return err
		}
		return showStatus(c, s, &done)
	}
	return cmd
}

// showStatus prints a status, and the transition that was just made.
func showStatus(c *console, s *statusfile.Snapshot, made *lifecycle.Result) error {
	if c.json {
		return c.writeJSON(s.View(made))
	}
	if made != nil {
		c.note("moved on", fmt.Sprintf("from %s to %s by %s", made.From, made.To, made.Actor))
	}
	state := s.Status.CurrentState
	if !s.Status.State().Known() {
		state += ", which the lifecycle does not have"
	}
	facts := []string{"deliverable", s.Deliverable.Rel, "state", state, "updated", s.Status.LastUpdated}
	for _, f := range s.Status.ExtraFields {
		facts = append(facts, strings.ToLower(line(f.Key)), f.Value)
	}
	c.fields(facts...)
	if len(s.Status.History) > 0 {
		c.write("\n")
		t := &table{heads: []string{"DATE", "STATE", "ACTOR", "NOTES"}}
		for _, e := range s.Status.History {
			t.add(e.Date, e.State, e.Actor, e.Notes)
		}
		c.print(t, "")
	}
	if len(s.Findings) > 0 {
		c.write("\n")
	}
	printKinds(c, s.Findings)
	return nil
}
