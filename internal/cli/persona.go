package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/persona"
)

func newPersona(c *console) *cobra.Command {
	return group("persona", "List, show and check personas", "  belay persona list\n  belay persona show WORKING_ITEMS\n  belay persona lint",
		newPersonaList(c), newPersonaShow(c), newPersonaLint(c))
}

func newPersonaList(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the personas of the instruction root",
		Example: "  belay persona list\n  belay persona list --instructions ~/instructions --json",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "instructions", "instructions", "read personas from `DIR` instead of the embedded ones")
	var part paging
	part.flags(cmd)
	c.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error {
			list, err := a.Engine.Personas(ctx)
			if err != nil {
				return err
			}
			list, left, err := pageOf(&part, list, func(p persona.Summary) string { return p.ID })
			if err != nil {
				return err
			}
			if c.json {
				return c.writeJSON(struct {
					Personas []persona.Summary `json:"personas"`
					rest
				}{orEmpty(list), left})
			}
			defer left.tell(c)
			t := &table{heads: []string{"PERSONA", "TYPE", "CLASS", "DESCRIPTION"}}
			for _, p := range list {
				t.add(p.ID, string(p.Type), p.Class, p.Description)
			}
			c.print(t, "no personas")
			found := 0
			for _, p := range list {
				found += len(p.Findings)
				for _, w := range p.Warnings {
					c.warn(p.ID + ": " + w)
				}
			}
			if found > 0 {
				c.note("findings", strconv.Itoa(found)+"; belay persona lint lists them")
			}
			return nil
		})
	}
	return cmd
}

func newPersonaShow(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show PERSONA",
		Short:   "Show the settings and the instructions of a persona",
		Example: "  belay persona show WORKING_ITEMS\n  belay persona show TASK --json",
		Args:    cobra.ExactArgs(1),
	}
	setting(cmd, "instructions", "instructions", "read personas from `DIR` instead of the embedded ones")
	c.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error {
			p, err := a.Engine.Persona(ctx, args[0])
			if err != nil {
				return err
			}
			if c.json {
				return c.writeJSON(map[string]any{"persona": p})
			}
			printPersona(c, p)
			return nil
		})
	}
	return cmd
}

func printPersona(c *console, p persona.Persona) {
	tools := "the runtime's own set"
	if p.Tools != nil {
		tools = strings.Join(*p.Tools, ", ")
		if tools == "" {
			tools = "none"
		}
	}
	turns := ""
	if p.MaxTurns > 0 {
		turns = strconv.Itoa(p.MaxTurns)
	}
	c.fields("persona", p.ID, "type", string(p.Type), "class", p.Class, "description", p.Description,
		"tools", tools, "not", strings.Join(p.DisallowedTools, ", "), "subagents", strings.Join(p.Subagents, ", "),
		"max turns", turns, "surface", p.Surface, "writes", p.WriteScope, "blocking", p.Blocking,
		"outputs", p.Outputs, "file", p.Source.Path, "sha256", p.Source.SHA256)
	c.write("\n")
	c.paragraph(p.Body)
	for _, f := range p.Findings {
		at := ""
		if f.Line > 0 {
			at = "line " + strconv.Itoa(f.Line) + ": "
		}
		c.warn(at + f.Message + " (" + f.Code + ")")
	}
}
