package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"belay/internal/workspace/finding"
)

// explainArguments gives every command below cmd our own words for arguments and
// flags that do not go together: the library's name neither the argument nor the
// next step.
func explainArguments(cmd *cobra.Command) {
	if fits := cmd.Args; fits != nil && !cmd.HasSubCommands() {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := exclusive(cmd); err != nil {
				return err
			}
			err := fits(cmd, args)
			if own := (*failure)(nil); err == nil || errors.As(err, &own) {
				return err
			}
			return wrongArguments(cmd, fits, args)
		}
	}
	for _, child := range cmd.Commands() {
		explainArguments(child)
	}
}

// mostArguments is more than any command takes one by one.
const mostArguments = 5

// wrongArguments says what a command takes, in the words of its help.
func wrongArguments(cmd *cobra.Command, fits cobra.PositionalArgs, args []string) error {
	_, takes, _ := strings.Cut(cmd.Use, " ")
	path := cmd.CommandPath()
	few := false
	for n := len(args) + 1; n <= mostArguments && !few; n++ {
		few = fits(cmd, slices.Repeat([]string{firstValid(cmd)}, n)) == nil
	}
	switch {
	case cmd.Flag("project") != nil && len(args) > 0 && isFolder(args[0]):
		return failed(ExitUsage, "name the project with --project "+finding.Word(args[0]), fmt.Errorf("%s takes no folder: %s", path, args[0]))
	case takes == "":
		return failed(ExitUsage, "run "+path+" --help for its flags", fmt.Errorf("%s takes no arguments: %s", path, strings.Join(args, " ")))
	case len(cmd.ValidArgs) > 0 && len(args) == 1:
		return failed(ExitUsage, "write "+cmd.UseLine(), fmt.Errorf("%s does not know %s", path, args[0]))
	case few:
		return failed(ExitUsage, "write "+path+" "+takes, fmt.Errorf("%s needs %s; given: %s", path, takes, orNothing(args)))
	case strings.Contains(takes, "MESSAGE") || strings.Contains(takes, "TEXT"):
		return failed(ExitUsage, `put it in quotes: `+path+` "`+strings.Join(args, " ")+`"`, fmt.Errorf("%s takes %s as one argument, not %d", path, takes, len(args)))
	}
	return failed(ExitUsage, "write "+path+" "+takes, fmt.Errorf("%s takes %s; given: %s", path, takes, orNothing(args)))
}

// firstValid is an argument that a command with a list of them takes.
func firstValid(cmd *cobra.Command) string {
	if len(cmd.ValidArgs) > 0 {
		return cmd.ValidArgs[0]
	}
	return "x"
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func orNothing(args []string) string {
	if len(args) == 0 {
		return "nothing"
	}
	return strings.Join(args, " ")
}

// exclusiveGroups is where the library keeps the groups of flags of which a command
// line may have one.
const exclusiveGroups = "cobra_annotation_mutually_exclusive"

// exclusive refuses flags that do not go together.
func exclusive(cmd *cobra.Command) error {
	given := map[string][]string{}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusiveGroups] {
			given[group] = append(given[group], "--"+f.Name)
			if all := given[group]; len(all) > 1 && err == nil {
				err = failed(ExitUsage, "leave all but one of them out", fmt.Errorf("%s exclude each other", strings.Join(all, " and ")))
			}
		}
	})
	return err
}
