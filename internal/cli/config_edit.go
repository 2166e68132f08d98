package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/config"
)

func newConfigGet(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "get KEY",
		Short: "Print the value of a setting",
		Long: `Print the value that a setting has here, from all layers. --json adds where it came from,
and its default; there a list is an array, a mapping is an object, and any other value
is the text that a file has.`,
		Example: "  belay config get provider\n  belay config get bash.max_write_bytes --json",
		Args:    cobra.ExactArgs(1),
	}
	setting(cmd, "project", "project", "with the belay.yaml of the project in `DIR`")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, problems, err := examined(c, cmd)
		if err != nil {
			return err
		}
		c.tellProblems(problems)
		for _, row := range cfg.Show() {
			switch {
			case row.Key != args[0]:
				continue
			case c.json:
				return errors.Join(c.writeJSON(row.Typed()), invalid(problems))
			}
			c.write(row.Value + "\n")
			return invalid(problems)
		}
		return wrongSettings([]config.Problem{config.UnknownSetting(args[0])}, cmd)
	}
	return cmd
}

func newConfigSet(c *console) *cobra.Command {
	var usual bool
	cmd := &cobra.Command{
		Use:   "set KEY [VALUE]",
		Short: "Change a setting in your configuration file",
		Long: `Change a setting in your configuration file, which is made where there is none. The value is
written as in the file: a list as [a, b]. --default takes the setting out of the file.
Nothing is changed if the setting does not take the value. Comments in the file stay.

A setting of an environment variable or a flag still wins over the file.`,
		Example: "  belay config set provider anthropic\n  belay config set bash.max_write_bytes 2GB\n  belay config set provider --default",
		Args:    cobra.RangeArgs(1, 2),
	}
	cmd.Flags().BoolVar(&usual, "default", false, "take the setting out of the file")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if usual == (len(args) == 2) {
			return usageHint("write belay config set KEY VALUE, or belay config set KEY --default", "a setting needs a value, or --default without one")
		}
		var value *string
		if !usual {
			value = &args[1]
		}
		path, problems, err := config.Edit(cmd.Context(), c.layers(cmd), args[0], value)
		switch {
		case err != nil:
			return err
		case len(problems) > 0:
			return wrongSettings(problems, cmd)
		}
		cfg, others := config.Examine(c.layers(cmd))
		for _, p := range others {
			c.warn(p.String() + "; until that is mended, belay refuses the configuration")
		}
		for _, row := range cfg.Show() {
			if row.Key != args[0] {
				continue
			}
			if value != nil && !strings.HasPrefix(row.Origin, path+":") {
				c.warn(row.Origin + " still sets " + row.Key + " to " + row.Value)
			}
			if c.json {
				return c.writeJSON(map[string]any{"file": path, "setting": row.Typed()})
			}
		}
		if c.json { // one of an earlier version
			return c.writeJSON(map[string]any{"file": path})
		}
		c.note("written", path)
		return nil
	}
	return cmd
}
