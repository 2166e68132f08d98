// Package cli is belay's command line: one file per command, each of which
// reads flags, asks the packages below and prints the answer. Nothing is decided
// here; a rule that matters to one surface matters to all of them and lives
// further down.
//
// Every command keeps the same promises. Machine output goes to stdout and
// everything else to stderr; whatever reads has --json. Colour and live
// progress appear on a terminal only, colour never with NO_COLOR. A failure is
// an "error:" line followed by a "hint:" line with the next step, and the exit
// code says which kind of failure it was (see [ExitDone] and its siblings).
// Text that came from outside (names, answers, messages) cannot move the
// cursor of the reader's terminal.
//
// [Main] is the program; [Run] is the same without its process, for tests.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"belay/internal/tool/shell"
)

// Main runs the command line of this process and returns its exit code.
//
// The first SIGINT or SIGTERM, or SIGHUP when the terminal is closed, ends the
// command's context: a turn is then interrupted and recorded, a server lets its
// turns end. A second SIGINT or SIGTERM is left to the system, which ends the
// process at once. SIGHUP stays ignored where it was (nohup).
func Main() int {
	if err := shell.Harden(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "warning: other programs of yours can look into this one:", err) // there is nowhere else to say it
	}
	heard, ctx, stop := listen()
	defer stop()
	// A reader of stdout that went away is an error of one write, not the end
	// of a turn.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	// What net/http says of servers that misbehave would land in the middle of a
	// conversation.
	log.SetOutput(io.Discard)
	c := newConsole(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	c.signals = heard
	return c.run(ctx, os.Args[1:])
}

// Run executes one command line and returns its exit code. It touches nothing of
// the process but its working directory: streams and environment are arguments.
func Run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer, env []string) int {
	return newConsole(in, out, errs, env).run(ctx, args)
}

func (c *console) run(ctx context.Context, args []string) int {
	root := newRoot(c)
	if err := textArguments(args); err != nil {
		return c.report(root, err)
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !c.ran {
		// Arguments and flags were refused before the command had a say.
		err = asUsage(err)
	}
	more := errors.Join(c.wrongHelp, c.out.failure())
	if own := (*failure)(nil); more != nil && errors.As(err, &own) && own.silent {
		// What was to tell of the problems did not arrive: this has to be told.
		c.report(cmd, more)
		return own.code
	}
	return c.report(cmd, errors.Join(err, more))
}

// newRoot is the tree of commands.
func newRoot(c *console) *cobra.Command {
	root := &cobra.Command{
		Use:   "belay",
		Short: "Run language-model agents on a project folder while people stay in control",
		Long: `belay runs language-model agents on a project folder. Every turn streams what
happens, every attachment is checked before a model sees it, and everything a
person must be able to trust is a plain file in the project's .belay folder.`,
		Example: `  belay turn "What is in this project?"
  belay turn --attach plan.pdf "Summarise the plan"
  belay chat
  belay serve`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          needsCommand,
	}
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.Version = Version()
	root.SetVersionTemplate("belay {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	when := "auto"
	root.PersistentFlags().StringVar(&c.configFile, "config", "", "read this `FILE` instead of the user's config.yaml")
	root.PersistentFlags().StringVar(&when, "color", when, "colour the output: `WHEN` is auto, always or never")
	root.PersistentFlags().BoolVar(&c.quiet, "quiet", false, "print results, warnings and errors, and no notes about progress")
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return setColour(c, when) }
	root.AddCommand(
		newServe(c), newTurn(c), newChat(c), newRun(c), newRuns(c), newSession(c), newDecision(c), newBus(c), newDiscord(c), newChanges(c), newUndo(c), newAudit(c),
		newProject(c), newProjects(c), newDeps(c), newSnapshot(c), newPersona(c), newSkill(c), newMCP(c), newAttach(c), newWorkflow(c), newOpen(c), newDevices(c),
		newSetup(c), newConfig(c), newDoctor(c), newBugreport(c), newUsage(c), newGC(c), newVersion(c), newCompletion(c),
	)
	root.SetFlagErrorFunc(wrongFlag)
	root.InitDefaultHelpCmd()
	strictHelp(root)
	checkHelp(c, root)
	explainArguments(root)
	completeValues(c, root)
	addAliases(root)
	wrapRuns(c, root)
	return root
}

// wrapRuns makes every command below cmd refuse empty flags, and notes that it began.
func wrapRuns(c *console, cmd *cobra.Command) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			c.ran = true
			if cmd.Annotations[checksFlags] == "" {
				if err := notBlank(cmd); err != nil {
					return err
				}
			}
			return run(cmd, args)
		}
	}
	for _, child := range cmd.Commands() {
		wrapRuns(c, child)
	}
}

// usualNames are the short names that people know from other programs.
var usualNames = map[string]string{"list": "ls", "delete": "rm"}

// addAliases gives the commands below cmd their short names.
func addAliases(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		if short := usualNames[child.Name()]; short != "" {
			child.Aliases = append(child.Aliases, short)
		}
		addAliases(child)
	}
}

// needsCommand is the action of a command that only groups others.
func needsCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0], args[1:]...)
	}
	return cmd.Help()
}

// group returns a command that only holds others.
func group(use, short, example string, children ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, Example: example, Args: cobra.ArbitraryArgs, RunE: needsCommand}
	g.AddCommand(children...)
	return g
}
