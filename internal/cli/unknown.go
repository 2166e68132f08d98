package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"belay/internal/nearest"
)

// unknownCommand refuses a word that is no command below cmd and names the one
// that was likely meant. More are the words after it.
func unknownCommand(cmd *cobra.Command, word string, more ...string) error {
	var known []string
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			known = append(known, child.Name())
		}
	}
	hint := "run " + cmd.CommandPath() + " --help"
	if cmd != cmd.Root() && len(known) > 0 && len(known) <= 6 {
		hint = cmd.CommandPath() + " has " + strings.Join(known, ", ")
	}
	deeper := below(cmd.Root(), word)
	if cmd != cmd.Root() { // a command of another group is no answer within one, but one of no group is
		deeper = slices.DeleteFunc(deeper, func(path string) bool { return strings.Count(path, " ") > 1 })
	}
	switch meant := nearest.Of(word, known); {
	case cmd.CommandPath() == "belay config" && word == "unset":
		key := "KEY"
		if len(more) > 0 {
			key = line(more[0])
		}
		hint = "run belay config set " + key + " --default"
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
	if missing := (*pflag.ValueRequiredError)(nil); errors.As(err, &missing) {
		value, _ := pflag.UnquoteUsage(missing.GetFlag())
		name := "--" + missing.GetFlag().Name
		return failed(ExitUsage, "write "+name+" "+value, fmt.Errorf("%s has no value", name))
	}
	var unknown *pflag.NotExistError
	switch {
	case !errors.As(err, &unknown):
		return asUsage(err)
	case unknown.GetSpecifiedShortnames() != "":
		name, hint := unknown.GetSpecifiedName(), ""
		if takes := strings.TrimSpace(strings.TrimPrefix(cmd.Use, cmd.Name())); strings.Trim(name, "0123456789") == "" && takes != "" {
			hint = "write -- before what begins with a dash: " + cmd.CommandPath() + " -- " + takes
		}
		return failed(ExitUsage, hint, fmt.Errorf("unknown flag: -%s", name))
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	hint := ""
	if meant := nearest.Of(unknown.GetSpecifiedName(), known); meant != "" {
		hint = "did you mean --" + meant + "?"
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
		"bool":     {"true or false", "leave the value out to switch it on"},
		// Of a list only the quotes can be wrong.
		"stringSlice": {"a list such as A,B", "write names with commas between them, without quotes"},
		"KEY=VALUE":   {"of the form KEY=VALUE", "write a setting and its value, such as attachments.max_redirects=0"},
	}
	kind, known := kinds[bad.GetFlag().Value.Type()]
	if !known {
		return asUsage(bad)
	}
	return failed(ExitUsage, kind[1], fmt.Errorf("--%s: %q is not %s", bad.GetFlag().Name, bad.GetValue(), kind[0]))
}

// checkHelp makes --help after a word that is no command an error, as the word by
// itself is. The library prints the help of the parent, and reports success.
func checkHelp(c *console, root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); cmd.HasAvailableSubCommands() && len(words) > 0 {
			c.wrongHelp = unknownCommand(cmd, words[0])
			return
		}
		printHelp(c, cmd, func() { help(cmd, args) })
	})
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
