package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"belay/internal/config"
)

func newConfig(c *console) *cobra.Command {
	return group("config", "Show, check and change the settings",
		"  belay config show\n  belay config get provider\n  belay config set provider anthropic\n  belay config check",
		newConfigShow(c), newConfigGet(c), newConfigSet(c), newConfigSchema(c), newConfigCheck(c))
}

func newConfigShow(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show every setting, its value and its source",
		Long: `Show every setting, its value, and where the value came from: a default, a file and
line, an environment variable or a flag. API keys only show whether they are set.
Problems of the configuration follow, and the exit code is 2 if there is one.`,
		Example: "  belay config show\n  belay config show --json",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "with the belay.yaml of the project in `DIR`")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, problems, err := examined(c, cmd)
		if err != nil {
			return err
		}
		if c.json {
			if err := c.writeJSON(map[string]any{"settings": typedRows(cfg), "problems": orEmpty(problems)}); err != nil {
				return err
			}
			return invalid(problems)
		}
		t := &table{heads: []string{"KEY", "ORIGIN", "VALUE"}}
		for _, r := range cfg.Show() {
			t.add(r.Key, r.Origin, r.Value)
		}
		c.print(t, "no settings")
		c.tellProblems(problems)
		for _, w := range cfg.Warnings {
			c.warn(w)
		}
		return invalid(problems)
	}
	return cmd
}

// typedRows are all settings for programs.
func typedRows(cfg *config.Config) (all []config.Typed) {
	for _, r := range cfg.Show() {
		all = append(all, r.Typed())
	}
	return all
}

// tellProblems prints what is wrong with the configuration, each with its next step, and one
// for those that have none of their own.
func (c *console) tellProblems(problems []config.Problem) {
	plain := false
	for _, p := range problems {
		c.tell(c.paint(styleError, "error:"), p.String())
		if plain = plain || p.Hint == ""; p.Hint != "" {
			c.tell(c.paint(styleHint, "hint:"), p.Hint)
		}
	}
	if plain {
		c.tell(c.paint(styleHint, "hint:"), "correct it where it is written, or leave it out for the default")
	}
}

// examined is the configuration with all its problems. A project that is named must be there:
// without its belay.yaml nothing would be looked at.
func examined(c *console, cmd *cobra.Command) (*config.Config, []config.Problem, error) {
	if f := cmd.Flags().Lookup("project"); f.Changed {
		if info, err := os.Stat(f.Value.String()); err != nil || !info.IsDir() {
			return nil, nil, failed(ExitNotFound, "check the path", fmt.Errorf("there is no folder %s", line(f.Value.String())))
		}
	}
	cfg, problems := config.Examine(c.layers(cmd))
	return cfg, problems, nil
}

// invalid is the verdict on a configuration whose problems have been reported.
func invalid(problems []config.Problem) error {
	if len(problems) > 0 {
		return ended(ExitUsage)
	}
	return nil
}

func newConfigSchema(c *console) *cobra.Command {
	var project bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration file, for editors",
		Example: `  belay config schema > ~/.config/belay/schema.json
  belay config schema --project > belay.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			schema, err := config.Schema(project)
			if err != nil {
				return err
			}
			c.write(string(schema) + "\n")
			return nil
		},
	}
	cmd.Flags().BoolVar(&project, "project", false, "of a project's belay.yaml instead")
	return cmd
}

func newConfigCheck(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration and list every problem",
		Long: `Check every layer of the configuration and list all that is wrong. The exit code is 2 if anything
is. Whether the programs and folders that settings name are there, belay doctor checks.`,
		Example: "  belay config check\n  belay config check --config ./config.yaml --json",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "with the belay.yaml of the project in `DIR`")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, problems, err := examined(c, cmd)
		if err != nil {
			return err
		}
		if c.json {
			if err := c.writeJSON(map[string]any{"problems": orEmpty(problems), "warnings": orEmpty(cfg.Warnings)}); err != nil {
				return err
			}
			return invalid(problems)
		}
		c.tellProblems(problems)
		for _, w := range cfg.Warnings {
			c.warn(w)
		}
		if len(problems) == 0 {
			c.write("the configuration is valid\n")
		}
		return invalid(problems)
	}
	return cmd
}
