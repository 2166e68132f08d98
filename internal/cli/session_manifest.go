package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/quantity"
	"belay/internal/render"
	"belay/internal/session"
)

func newSessionManifest(c *console) *cobra.Command {
	var turnID string
	cmd := &cobra.Command{
		Use:   "manifest SESSION",
		Short: "List everything the model saw in a turn, with its sha256",
		Long: `List everything that the model saw in a turn: the instruction files, the files of this
turn and of earlier ones, and the files that tools showed it, each with its form and its
sha256. The sums are those of the files on disk, so sha256sum can check them.`,
		Example: "  belay session manifest sess_2f4c8e0a\n  belay session manifest sess_2f4c8e0a --turn turn_0198 --json",
		Args:    needsSession,
	}
	cmd.Flags().StringVar(&turnID, "turn", "", "the turn `ID`, or the beginning of it (default: the last turn)")
	jsonFlag(c, cmd)
	cmd.RunE = sessionCommand(c, func(ctx context.Context, a *app.App, id string, _ []string) error {
		turnID, err := turnNamed(ctx, a.Engine, id, turnID)
		if err != nil {
			return err
		}
		m, err := a.Engine.Manifest(ctx, id, turnID)
		if fault.Is(err, fault.NotFound) {
			return failed(ExitNotFound, "see its turns with belay session show "+id, err)
		}
		if err != nil {
			return err
		}
		return answer(c, map[string]any{"manifest": m}, func() { printManifest(c, m) })
	})
	return cmd
}

func printManifest(c *console, m session.Manifest) {
	history := quantity.Count(m.History.Turns, "earlier turn", "earlier turns")
	if m.History.Elided > 0 {
		history += fmt.Sprintf(", %d older left out", m.History.Elided)
	}
	name := m.Model
	if m.Provider == model.Scripted {
		name = render.Model(name)
	}
	c.fields("turn", m.Turn, "time", when(m.Time.Time), "persona", m.Persona, "mode", m.Mode,
		"provider", m.Provider, "model", name, "prompt", string(m.PromptMode), "history", history, "tools", strings.Join(m.Tools, ", "), "system sha256", m.SystemSHA256)
	t := &table{heads: []string{"INPUT", "FILE", "USED", "SIZE", "SHA256"}}
	for _, s := range m.Instructions {
		used := "whole"
		if s.Cut {
			used = "first part"
		}
		t.add("instructions", s.Path, used, quantity.Size(s.Bytes), s.SHA256)
	}
	for _, d := range m.Attachments {
		t.add("attachment", d.Name, d.Used, quantity.Size(d.Bytes), d.SHA256)
	}
	for _, it := range m.Shown {
		t.add("shown by a tool", it.Name, "in its result", quantity.Size(it.Bytes), it.SHA256)
	}
	for _, d := range m.History.Attachments {
		t.add("earlier", d.Name, d.Used, quantity.Size(d.Bytes), d.SHA256)
	}
	if len(t.rows) > 0 {
		c.write("\n")
		c.print(t, "")
	}
	for _, d := range slices.Concat(m.Attachments, m.History.Attachments) {
		if d.Note != "" {
			c.note("note", line(d.Note))
		}
	}
}
