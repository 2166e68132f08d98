package cli

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"belay/internal/app"
	"belay/internal/config"
)

const (
	// completionTime bounds a completion: a person waits for it at the prompt.
	completionTime = 2 * time.Second
	// mostCompletions is how many values are offered at most.
	mostCompletions = 200
	// completionWords is how much is said beside a value, in columns.
	completionWords = 60
)

// candidate is a value that a shell may complete, and what it says beside it. Both may
// come from outside.
type candidate struct{ value, words string }

// source finds the values of one kind that begin with prefix, or more: what does not
// begin with it is left out later.
type source func(ctx context.Context, a *app.App, prefix string) ([]candidate, error)

// flagSources are the values of flags, by the flag's name.
var flagSources = map[string]source{
	"persona": personaIDs, "session": sessionIDs, "resume": runIDs, "mode": modes, "model": modelIDs,
	"effort": efforts, "tools": toolNames, "provider": providers, "color": colours, "set": assigned, "deliverable": deliverableIDs, "to": states, "kind": auditKinds,
}

// argumentSources are the values of arguments, by the name that a command's usage gives
// them. An ID is one of what the command is about.
var argumentSources = map[string]source{
	"SESSION": sessionIDs, "RUN": runIDs, "PERSONA": personaIDs, "DELIVERABLE": deliverableIDs, "DEL-ID": deliverableIDs,
	"SERVER": mcpServers, "KEY": settingKeys, "decision ID": questionIDs, "changes ID": changeIDs,
}

// completeValues lets the commands below cmd complete the values of their flags and
// arguments.
func completeValues(c *console, cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		from := flagSources[f.Name]
		if f.Name == "provider" && cmd.Name() == "setup" {
			from = choosable
		}
		if from != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, completion(c, from)) // it fails for unknown flags alone
		}
		if words, _ := pflag.UnquoteUsage(f); words == "DIR" {
			_ = cmd.MarkFlagDirname(f.Name) // as above
		}
	})
	if sources := argumentsOf(cmd); slices.ContainsFunc(sources, func(s source) bool { return s != nil }) {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= len(sources) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			if len(args) == 1 && cmd.Name() == "set" {
				return offered(plain(config.Words(args[0])), prefix), cobra.ShellCompDirectiveNoFileComp
			}
			if from := sources[len(args)]; from != nil {
				return completion(c, from)(cmd, args, prefix)
			}
			return nil, cobra.ShellCompDirectiveDefault
		}
	}
	for _, child := range cmd.Commands() {
		completeValues(c, child)
	}
}

// argumentsOf are the sources of a command's arguments, in their order; nil for one that
// is a file or free text.
func argumentsOf(cmd *cobra.Command) []source {
	if cmd.HasSubCommands() || len(cmd.ValidArgs) > 0 {
		return nil
	}
	var all []source
	for _, word := range strings.Fields(cmd.Use)[1:] {
		name := strings.Trim(word, "[].")
		from := argumentSources[name]
		if from == nil && cmd.Parent() != nil {
			from = argumentSources[cmd.Parent().Name()+" "+name]
		}
		all = append(all, from)
	}
	return all
}

// completion makes a source the library's. Whatever fails gives nothing: there is no
// place at a prompt to say so.
func completion(c *console, from source) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		cmd.SetContext(ctx)
		quiet := *c
		quiet.err = &sink{w: io.Discard}
		cfg, err := quiet.load(cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []candidate
		err = quiet.within(cmd, cfg, slog.New(slog.DiscardHandler), func(ctx context.Context, a *app.App) error {
			found, err = from(ctx, a, prefix)
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if slices.ContainsFunc(found, func(f candidate) bool { return strings.HasSuffix(f.value, "=") }) {
			directive |= cobra.ShellCompDirectiveNoSpace // a value follows
		}
		return offered(found, prefix), directive
	}
}

// offered are the candidates with the prefix, each as one line without anything that a
// shell or a terminal would act on.
func offered(found []candidate, prefix string) []string {
	var all []string
	for _, f := range found {
		if !strings.HasPrefix(f.value, prefix) || f.value != line(f.value) || len(all) == mostCompletions {
			continue
		}
		if f.words = clip(line(f.words), completionWords); f.words == "" {
			all = append(all, f.value)
			continue
		}
		all = append(all, cobra.CompletionWithDesc(f.value, f.words))
	}
	return all
}
