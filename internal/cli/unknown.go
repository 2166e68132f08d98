package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"belay/internal/nearest"
)

// unknownCommand refuses a word that is no command below cmd and names the one
// that was likely meant.
func unknownCommand(cmd *cobra.Command, word string) error {
	var known []string
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			known = append(known, child.Name())
		}
	}
	hint := "run " + cmd.CommandPath() + " --help"
	deeper := below(cmd.Root(), word)
	switch meant := nearest.Of(word, known); {
	case len(deeper) > 0:
		hint = "did you mean " + strings.Join(deeper, " or ") + "?"
	case meant != "":
		hint = "did you mean " + cmd.CommandPath() + " " + meant + "?"
	case cmd == cmd.Root() && strings.Contains(strings.TrimSpace(word), " "):
		hint = `send a message with belay turn "…"`
	}
	return failed(ExitUsage, hint, fmt.Errorf("unknown command %q for %q", word, cmd.CommandPath()))
}

// below lists the commands under cmd that have that very name, whole.
func below(cmd *cobra.Command, name string) (paths []string) {
	for _, child := range cmd.Commands() {
		if !child.IsAvailableCommand() {
			continue
		}
		if child.Name() == name {
			paths = append(paths, child.CommandPath())
		}
		paths = append(paths, below(child, name)...)
	}
	return paths
}

// wrongFlag turns what the parser says of flags into a wrong command line: with the
// flag that was likely meant, or with what the value should have been.
func wrongFlag(cmd *cobra.Command, err error) error {
	if bad := (*pflag.InvalidValueError)(nil); errors.As(err, &bad) {
		return wrongValue(bad)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return asUsage(err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	hint := ""
	switch meant := nearest.Of(unknown.GetSpecifiedName(), known); {
	case meant != "":
		hint = "did you mean --" + meant + "?"
	case unknown.GetSpecifiedName() == "project" && strings.Contains(cmd.Use, "[DIR]"):
		hint = "name the project's folder: " + cmd.CommandPath() + " DIR"
	}
	return failed(ExitUsage, hint, err)
}

// wrongValue says what a flag's value should have been, for the kinds of which the
// parser itself tells no more than the function that failed.
func wrongValue(bad *pflag.InvalidValueError) error {
	kinds := map[string][2]string{
		"int":      {"a whole number", ""},
		"float64":  {"a number", ""},
		"duration": {"a length of time", "write it as 30s, 5m or 1h"},
	}
	kind, known := kinds[bad.GetFlag().Value.Type()]
	if !known {
		return asUsage(bad)
	}
	return failed(ExitUsage, kind[1], fmt.Errorf("--%s: %q is not %s", bad.GetFlag().Name, bad.GetValue(), kind[0]))
}

// strictHelp makes belay help an error for what is no command, as that command
// itself would be.
func strictHelp(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Name() != "help" {
			continue
		}
		cmd.Run = nil
		cmd.RunE = func(_ *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(topic, rest[0])
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		}
	}
}
