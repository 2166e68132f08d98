package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/chat"
	"belay/internal/config"
	"belay/internal/session"
	"belay/internal/turn"
)

// chatFlags are the flags of belay chat that are not settings.
type chatFlags struct {
	session, persona, mode, model, server string
	resume                                bool
	allow                                 []string
}

func newChat(c *console) *cobra.Command {
	var f chatFlags
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk with an agent and decide what it may do",
		Long: `Talk with an agent on the terminal: the answer streams, every tool call shows what
it does, and what needs a person is asked and answered with one key. While a turn
runs, what you type steers it. Ctrl-C stops the turn, twice leaves; the session
stays and --continue takes it up again. /help lists keys and commands.

Without a terminal every line of stdin is a turn, answers go to stdout and the rest
to stderr. Nobody is asked there: a call that needs a decision waits for belay
decision in another terminal.

Exit codes: 0 you left, else as for belay turn; without a terminal that of the last
turn that did not end well.`,
		Example: `  belay chat
  belay chat --continue
  belay chat --mode acceptEdits --allow "bash(go test *)"
  printf '%s\n' "What is open?" "And what is late?" | belay chat`,
		Args: cobra.NoArgs,
	}
	setting(cmd, "project", "project", "work on the project in `DIR` (default: the current folder)")
	setting(cmd, "provider", "provider", "answer with `NAME`: scripted or anthropic")
	setting(cmd, "instructions", "instructions", "read personas from `DIR` instead of the embedded ones")
	setting(cmd, "token-file", "token_file", "with --server: send the bearer token in `FILE`")
	flags := cmd.Flags()
	flags.BoolVar(&f.resume, "continue", false, "go on with the project's last session")
	flags.StringVar(&f.session, "session", "", "go on with the session `ID`")
	flags.StringVar(&f.persona, "persona", "", "speak to `NAME` (see belay persona list)")
	flags.StringVar(&f.mode, "mode", "", "permission mode `MODE`: direct, dontAsk, acceptEdits or plan")
	flags.StringVar(&f.model, "model", "", "use the model `NAME`")
	flags.StringArrayVar(&f.allow, "allow", nil, "allow what `RULE` says without asking, as in \"bash(git status *)\"; may be repeated")
	flags.StringVar(&f.server, "server", "", "run the turns on the server at `URL`")
	cmd.MarkFlagsMutuallyExclusive("continue", "session")
	cmd.MarkFlagsMutuallyExclusive("session", "project")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := allowed(&turnFlags{allow: f.allow, server: f.server}); err != nil {
			return err
		}
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		if f.server != "" {
			return c.chatRemote(cmd, cfg, &f)
		}
		return c.chatHere(cmd, cfg, &f)
	}
	return cmd
}

// chatHere runs the turns in this process.
func (c *console) chatHere(cmd *cobra.Command, cfg *config.Config, f *chatFlags) error {
	project, err := projectDir(cfg)
	if err != nil {
		return err
	}
	o := chat.Options{Project: project, Folder: project, Allow: f.allow}
	if w := app.ScriptedWithKey(cfg); w != "" {
		o.Notices = append(o.Notices, w)
	}
	return c.within(cmd, cfg, slog.New(slog.DiscardHandler), func(_ context.Context, a *app.App) error {
		return c.converse(cmd, a.Engine, cfg, f, o)
	})
}

// chatRemote runs the turns on a server. On this machine the server reads the same
// files; to another one they are uploaded.
func (c *console) chatRemote(cmd *cobra.Command, cfg *config.Config, f *chatFlags) error {
	for _, name := range []string{"provider", "instructions"} {
		if cmd.Flags().Changed(name) {
			return failed(ExitUsage, "start the server with it: belay serve --"+name, fmt.Errorf("--%s is the server's to choose", name))
		}
	}
	e, err := c.dial(cfg, f.server)
	if err != nil {
		return err
	}
	o := chat.Options{Outlives: true}
	if o.Folder, err = projectDir(cfg); err != nil {
		return err
	}
	o.Project = o.Folder
	if !local(f.server) {
		// As written: this machine's idea of an absolute path is not the server's.
		if o.Project = cmd.Flag("project").Value.String(); o.Project == "" && f.session == "" {
			return failed(ExitUsage, "name it with --project, or a session with --session",
				errors.New("the project folder on the server is not known"))
		}
		if o.Folder, err = os.Getwd(); err != nil {
			return fmt.Errorf("the working folder is unknown: %w", err)
		}
		o.Upload = func(ctx context.Context, id, path string) (string, error) {
			return upload(ctx, e, turn.Upload{SessionID: id}, path)
		}
	}
	return c.converse(cmd, e, cfg, f, o)
}

// converse finds the session and talks in it, with whatever stdin is.
func (c *console) converse(cmd *cobra.Command, e turn.Engine, cfg *config.Config, f *chatFlags, o chat.Options) error {
	ctx := cmd.Context()
	o.Engine, o.Opts = e, turn.Opts{Persona: f.persona, Mode: f.mode, Model: f.model}
	var err error
	if o.Session, err = named(ctx, e, f.session); err != nil {
		return err
	}
	switch {
	case f.resume:
		last, err := lastSession(ctx, e, o.Project)
		if err != nil {
			return err
		}
		if o.Session = last; last == "" {
			o.Notices = append(o.Notices, "there is no session to go on with; this is a new one")
		}
	case o.Session != "":
		rec, err := e.Get(ctx, o.Session)
		if err != nil {
			return err
		}
		if o.Project = rec.ProjectRoot; o.Upload == nil {
			o.Folder = rec.ProjectRoot
		}
	}
	if !isTerminal(c.in) || !c.outTerminal || c.env["TERM"] == "dumb" {
		return c.chatPlain(cmd, o)
	}
	o.History = filepath.Join(cfg.Paths.StateDir, "chat", "history.jsonl")
	o.By = operator()
	o.Input, o.Output, o.Env = c.in, c.out.w, c.environ()
	result, err := chat.Run(ctx, o)
	if result.Session != "" {
		if result.Running && o.Outlives {
			c.note("running", "the turn goes on; stop it with belay session interrupt "+result.Session)
		}
		c.note("session", result.Session)
		c.note("go on", "belay chat --session "+result.Session)
	}
	return err
}

// environ is the environment as a list again.
func (c *console) environ() []string {
	var list []string
	for name, value := range c.env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// operator is who decides, for the record.
func operator() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "operator"
}

// lastSession is the session of a project that was used last, "" for none.
func lastSession(ctx context.Context, e turn.Engine, project string) (string, error) {
	all, err := e.List(ctx, project)
	if err != nil || len(all) == 0 {
		return "", err
	}
	last := slices.MaxFunc(all, func(a, b session.Record) int { return a.UpdatedAt.Compare(b.UpdatedAt.Time) })
	return last.SessionID, nil
}
