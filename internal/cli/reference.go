package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands are all commands, for the pages that are made of them. They are not run.
func Commands() *cobra.Command {
	return newRoot(newConsole(strings.NewReader(""), io.Discard, io.Discard, nil))
}

// Reference writes every command with its flags and examples as Markdown, for
// docs/cli.md.
func Reference(w io.Writer) error {
	var b strings.Builder
	for _, cmd := range tree(Commands()) {
		describeCommand(&b, cmd)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tree lists cmd and all commands below it, parents first.
func tree(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() && child.Name() != "help" {
			all = append(all, tree(child)...)
		}
	}
	return all
}

func describeCommand(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n", cmd.CommandPath())
	text := cmp.Or(cmd.Long, cmd.Short+".")
	fmt.Fprintf(b, "%s\n", text)
	use := cmd.UseLine()
	switch {
	case cmd.HasSubCommands() && cmd.LocalFlags().Lookup("json") != nil: // it does something by itself, too
		use += "\n" + cmd.CommandPath() + " COMMAND"
	case cmd.HasSubCommands():
		use = cmd.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(b, "\n```\n%s\n```\n", use)
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(b, "\nAlso `%s %s`.\n", cmd.Parent().CommandPath(), strings.Join(cmd.Aliases, "`, `"))
	}
	describeFlags(b, cmd.NonInheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", dedent(cmd.Example))
	}
}

func describeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	first := true
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if first {
			b.WriteString("\n| flag | |\n|---|---|\n")
			first = false
		}
		value, doc := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, strings.ReplaceAll(doc, "|", `\|`))
	})
}

func dedent(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}
