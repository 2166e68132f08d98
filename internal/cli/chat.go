package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/chat"
	"belay/internal/config"
	"belay/internal/session"
	"belay/internal/skill"
	"belay/internal/turn"
)

// chatFlags are the flags of belay chat that are not settings.
type chatFlags struct {
	optionFlags
	session, server string
	resume          bool
	attach          []string
	skipRefused     bool
	noNotify        bool
}

func newChat(c *console) *cobra.Command {
	var f chatFlags
	cmd := &cobra.Command{
		Annotations: map[string]string{checksFlags: "yes"},
		Use:         "chat [MESSAGE]",
		Short:       "Talk with an agent and decide what it may do",
		Long: `Talk with an agent on the terminal. Answers stream, tool calls show what they do, and
you answer questions with one key. Messages that you send while a turn runs steer it.
Ctrl-C stops the turn, a second one leaves. The session stays: --continue resumes it.
/help lists keys and commands, and docs/chat.md explains them. The chat begins with
MESSAGE and the files of --attach.

Without a terminal every line of stdin is a turn. Answers go to stdout, everything else
goes to stderr. A line may name files as @path. Nobody is asked: a call that needs a
decision waits for belay decision in another terminal. A terminal without cursor
movement (TERM=dumb) works line by line too, but asks you, and lines that you type while
a turn runs steer it.

A message with a refused file is not sent, unless you pass --skip-refused. Without a
terminal a wrong line ends the chat.

Exit codes: 0 if you left, else as for belay turn. Without a terminal it is the code of
the last turn that did not end well.`,
		Example: `  belay chat
  belay chat --continue
  belay chat --mode acceptEdits --allow "bash(go test *)" --max-cost 2
  belay chat --attach plan.pdf "What does the plan leave open?"
  printf '%s\n' "What is open?" "And what is late?" | belay chat`,
		Args: cobra.MaximumNArgs(1),
	}
	setting(cmd, "project", "project", "work on the project in `DIR` (default: the one that encloses the current folder)")
	setting(cmd, "provider", "provider", "answer with `NAME`: scripted, anthropic or openai")
	setting(cmd, "effort", "effort", "have the model think as hard as `LEVEL` says, such as low, medium or high")
	setting(cmd, "instructions", "instructions", "read personas from `DIR` instead of the embedded ones")
	setting(cmd, "token-file", "token_file", "with --server: send the bearer token in `FILE`")
	f.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.resume, "continue", false, "go on with the project's last session")
	flags.StringVar(&f.session, "session", "", "go on with the session `ID`")
	flags.StringArrayVar(&f.attach, "attach", nil, "attach the file at `PATH`, or what is at an http or https address, to the first message; may be repeated")
	flags.StringVar(&f.server, "server", "", "run the turns on the server at `URL`")
	flags.BoolVar(&f.skipRefused, "skip-refused", false, skipRefusedDoc)
	flags.BoolVar(&f.noNotify, "no-notify", false, "do not ring, nor notify the desktop, when a question waits and the terminal is not focused")
	cmd.MarkFlagsMutuallyExclusive("continue", "session")
	cmd.MarkFlagsMutuallyExclusive("session", "project")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var wrong problems
		o, err := chatOptions(c, cmd, &f, args)
		wrong.add(err)
		cfg := c.loadOrNote(cmd, &wrong)
		if cfg == nil {
			return wrong.err()
		}
		o.Notices = slices.Clone(cfg.Warnings)
		if f.server != "" {
			return chatRemote(c, cmd, cfg, &f, o, &wrong)
		}
		return chatHere(c, cmd, cfg, &f, o, &wrong)
	}
	return cmd
}

// chatOptions is what the command line says that needs no engine. The error has
// everything that is wrong with it.
func chatOptions(c *console, cmd *cobra.Command, f *chatFlags, args []string) (chat.Options, error) {
	o := chat.Options{Allow: f.allow, By: c.person(), Say: strings.Join(args, ""), SkipRefused: f.skipRefused, Quiet: f.noNotify}
	if file := config.UserFile(c.layers(cmd)); file != "" {
		o.Commands = filepath.Join(filepath.Dir(file), "commands")
	}
	var err error
	o.Opts, err = turnOptions(c, cmd, &f.optionFlags, f.server)
	o.Opts.OnQuestion = turn.OnQuestionWait
	return o, err
}

// chatHere runs the turns in this process.
func chatHere(c *console, cmd *cobra.Command, cfg *config.Config, f *chatFlags, o chat.Options, wrong *problems) error {
	project, err := projectDir(cfg)
	if err != nil {
		wrong.add(err)
		return wrong.err()
	}
	o.Project, o.Folder = project, project
	o.Skills = func(project string) skill.Catalog { return skillsOf(cfg, project) }
	switch w := app.ScriptedWithKey(cfg); {
	case w != "":
		o.Notices = append(o.Notices, w)
	case cfg.Provider == "scripted" && cfg.Scripted.Script == "" && c.screen():
		o.Notices = append(o.Notices, "the embedded scripted provider answers: it repeats what you say (belay setup chooses a model)")
	}
	return c.withinOrNote(cmd, cfg, wrong, func(_ context.Context, a *app.App) error {
		a.MCP.Start() // they start while the person writes
		wrong.add(knownModel(a, f.model))
		wrong.add(a.Ready()) // said now, not after the first message
		o.TakeUp = func(ctx context.Context, id string) error { return a.Engine.Recovery.Resume(ctx, id) }
		o.Models = modelsHere(a)
		o.CheckKey = func(ctx context.Context) string { return keyWarning(app.CheckKey(ctx, a)) }
		o.Welcome = &chat.Welcome{Provider: a.Config.Provider, Key: app.KeyOf(cfg), Model: app.UsualModel(a)}
		o.Always = alwaysHere(a, c.layers(cmd))
		o.Opening = func(ctx context.Context, id string) string {
			opening, err := a.Store.Opening(ctx, id)
			if err != nil {
				return "" // it is listed by its id
			}
			return opening.Message
		}
		return chatThere(c, cmd, a.Engine, cfg, f, o, wrong)
	})
}

// screen reports whether there is a terminal that can show a conversation.
func (c *console) screen() bool {
	return isTerminal(c.in) && c.outTerminal && c.env["TERM"] != "dumb"
}

// chatThere finds the session and talks in it, with whatever stdin is.
func chatThere(c *console, cmd *cobra.Command, e turn.Engine, cfg *config.Config, f *chatFlags, o chat.Options, wrong *problems) error {
	ctx := cmd.Context()
	o.Engine, o.Explain = e, explainEnd
	wrong.add(knownPersona(ctx, e, f.persona)) // said now, not after the first message
	wrong.add(knownTools(ctx, e, o.Opts.Tools, f.allow))
	a := attaching{files: f.attach, model: f.model, upload: o.Upload != nil, skip: f.skipRefused}
	err := chatSession(ctx, c, f, &o)
	if wrong.add(err); err == nil {
		a.where = target(o.Session, o.Project)
	}
	o.Upload = uploadOnce(o.Upload, attachFiles(ctx, c, cfg, e, a, wrong), &o.Attach)
	if !wrong.none() {
		return wrong.err()
	}
	if !c.screen() {
		return chatPlain(c, cmd, o)
	}
	o.History, o.Redact = filepath.Join(cfg.Paths.StateDir, "chat", "history.jsonl"), app.Redactor(cfg)
	o.Input, o.Output, o.Env = c.in, c.out.w, c.environ()
	o.Lend = c.signals.lend
	result, err := chat.Run(ctx, o)
	if result.Running && o.Outlives {
		c.note("running", "the turn goes on; stop it with belay session interrupt "+result.Session)
	} else if result.Running {
		c.note("stopped", "the turn that ran; its record is whole")
	}
	if result.Session != "" {
		c.note("session", result.Session)
		c.note("go on", "belay chat --session "+result.Session)
	}
	return err
}

// chatSession finds the session to go on with, if any.
func chatSession(ctx context.Context, c *console, f *chatFlags, o *chat.Options) (err error) {
	if o.Session, err = named(ctx, o.Engine, f.session); err != nil {
		return err
	}
	switch {
	case f.resume:
		last, err := lastSession(ctx, o.Engine, o.Project)
		if err != nil {
			return err
		}
		if o.Session = last; last == "" {
			o.Notices = append(o.Notices, "there is no session to go on with; this is a new one")
		}
	case o.Session != "":
		rec, err := o.Engine.Get(ctx, o.Session)
		if err != nil {
			return err
		}
		if o.Project = rec.ProjectRoot; o.Upload == nil {
			o.Folder = rec.ProjectRoot
		}
	}
	return nil
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

// lastSession is the session of a project that was used last, "" for none.
func lastSession(ctx context.Context, e turn.Engine, project string) (string, error) {
	o := session.ListOptions{Limit: 20, Recent: true}
	for {
		page, err := e.ListPage(ctx, project, o)
		if err != nil {
			return "", err
		}
		for _, r := range page.Records {
			if !r.ReadOnly && r.Damaged == "" { // nobody works in a copy
				return r.SessionID, nil
			}
		}
		if o.Cursor = page.Next; o.Cursor == "" {
			return "", nil
		}
	}
}
