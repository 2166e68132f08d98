package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/persona"
	"belay/internal/quantity"
	"belay/internal/workspace/finding"
)

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
	c.jsonFlag(cmd)
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
