package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/persona"
	"belay/internal/quantity"
	"belay/internal/workspace/finding"
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
	part := listFlags(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, _ []string) error {
		list, err := a.Engine.Personas(ctx)
		if err != nil {
			return err
		}
		list, left, err := pageOf(part, list, func(p persona.Summary) string { return p.ID })
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
	jsonFlag(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, args []string) error {
		p, err := a.Engine.Persona(ctx, args[0])
		if err != nil {
			return err
		}
		return answer(c, map[string]any{"persona": p}, func() { printPersona(c, p) })
	})
	return cmd
}

func printPersona(c *console, p persona.Persona) {
	tools := "the runtime's own set"
	if p.Tools != nil {
		tools = cmp.Or(strings.Join(*p.Tools, ", "), "none")
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

// lintReport is what belay persona lint --json prints.
type lintReport struct {
	InstructionRoot string            `json:"instructionRoot"`
	Errors          int               `json:"errors"`
	Warnings        int               `json:"warnings"`
	Findings        []finding.Finding `json:"findings"`
}

func newPersonaLint(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint [DIR]",
		Short: "Check instruction files against the specification",
		Long: `Look at every AGENT_*.md of the instruction root DIR, or of the configured one, and
list the differences from the specification: header, Agent Type table, sections,
frontmatter, and subagents that do not exist or may not be delegated to. The exit code is
1 if there is an error.`,
		Example: "  belay persona lint\n  belay persona lint ~/instructions --json",
		Args:    cobra.MaximumNArgs(1),
	}
	setting(cmd, "instructions", "instructions", "look at the instruction root `DIR`")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		dir := cfg.Instructions
		if len(args) > 0 {
			if dir, err = filepath.Abs(args[0]); err != nil {
				return usage("%s: %v", args[0], err)
			}
		}
		root, err := persona.Open(dir)
		if err != nil {
			return asUsage(err)
		}
		all, err := root.Lint()
		if err != nil {
			return failed(ExitNotFound, "name the folder that holds agents/ and docs/", err)
		}
		errs, warnings := finding.Count(all)
		if c.json {
			err = c.writeJSON(lintReport{InstructionRoot: root.Path(), Errors: errs, Warnings: warnings, Findings: all})
		} else {
			printKinds(c, all)
			if len(all) > 0 {
				c.note("found", quantity.Count(errs, "error", "errors")+", "+quantity.Count(warnings, "warning", "warnings"))
			} else {
				c.note("found", "nothing")
			}
		}
		if err != nil {
			return err
		}
		return verdict(all)
	}
	return cmd
}
