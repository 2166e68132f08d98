package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/turn"
)

// turnFlags are the flags of belay turn that are not settings.
type turnFlags struct {
	optionFlags
	session, server string
	attach          []string
	wait            bool
	skipRefused     bool
	compact         bool
}

// skipRefusedDoc is the help of --skip-refused.
const skipRefusedDoc = "send without refused files, with a warning"

func newTurn(c *console) *cobra.Command {
	var f turnFlags
	cmd := &cobra.Command{
		Annotations: map[string]string{checksFlags: "yes"},
		Use:         "turn [MESSAGE | -]",
		Short:       "Send one message to an agent and watch the answer",
		Long: `Send one message, with attachments if you like, and stream the answer to stdout.
Everything else (the session, the files, warnings, usage) goes to stderr.

Without --server the turn runs in this process, on the project that encloses this folder; a
running server still shows it live. Without --session a new session is made; any unique
prefix of an id names one. "-" reads the message from stdin. Ctrl-C interrupts the turn and
leaves a complete record; a second one leaves at once.

On a terminal belay asks you about calls that need a decision; you can also answer in
another terminal with belay decision. Without a terminal, and with --json, such a call is
refused at once; with --wait it waits for an answer.

If the command line is wrong, belay lists every problem and sends nothing: a refused file,
an unknown mode, persona or tool and, without --server, a model of another provider.
--skip-refused sends without the refused files.

Exit codes: 0 the agent finished, 1 the turn failed or was cut off, 2 wrong use, 3 there
is no such session or project, 124 a time limit, 130 interrupted.`,
		Example: `  belay turn "What is in this project?"
  belay turn --attach plan.pdf --attach site.png "What does the plan leave open?"
  belay turn --session sess_2f4c8e0a "And the costs?"
  git diff | belay turn --json -`,
		Args: cobra.MaximumNArgs(1),
	}
	setting(cmd, "project", "project", "work on the project in `DIR` (default: the one that encloses the current folder)")
	setting(cmd, "provider", "provider", "answer with `NAME`: scripted, anthropic or openai")
	setting(cmd, "effort", "effort", "have the model think as hard as `LEVEL` says, such as low, medium or high")
	setting(cmd, "instructions", "instructions", "read personas from `DIR` instead of the embedded ones")
	setting(cmd, "token-file", "token_file", "with --server: send the bearer token in `FILE`")
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "", "continue the session `ID` instead of a new one")
	f.register(cmd)
	flags.StringArrayVar(&f.attach, "attach", nil, "attach the file at `PATH`, or what is at an http or https address; may be repeated")
	flags.StringVar(&f.server, "server", "", "run the turn on the server at `URL`")
	flags.BoolVar(&c.json, "json", false, "print the events as JSON lines on stdout")
	waitFlag(cmd, &f.wait)
	flags.BoolVar(&f.skipRefused, "skip-refused", false, skipRefusedDoc)
	flags.BoolVar(&f.compact, "compact", false, "with --session: only have the model summarise the conversation so far, to free its context; MESSAGE says what to keep")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var wrong problems
		r, err := readRequest(c, cmd, args, &f)
		wrong.add(err)
		cfg := c.loadOrNote(cmd, &wrong)
		if cfg == nil {
			return wrong.err()
		}
		c.warnOfSettings(cfg)
		if f.server != "" {
			return turnRemote(c, cmd, cfg, &f, r, &wrong)
		}
		return turnHere(c, cmd, cfg, &f, r, &wrong)
	}
	return cmd
}

// turnHere runs the turn in this process.
func turnHere(c *console, cmd *cobra.Command, cfg *config.Config, f *turnFlags, r turn.Request, wrong *problems) error {
	if w := app.ScriptedWithKey(cfg); w != "" {
		c.warn(w)
	}
	project := ""
	if r.SessionID == "" {
		var err error
		project, err = projectDir(cfg)
		wrong.add(err)
		if here, err := os.Getwd(); err == nil && cfg.Project == "" && here != project {
			c.note("project", project+", which encloses this folder")
		}
	}
	return c.withinOrNote(cmd, cfg, wrong, func(ctx context.Context, a *app.App) error {
		wrong.add(knownModel(a, f.model))
		wrong.add(a.Ready())
		if id, err := named(ctx, a.Engine, r.SessionID); err == nil {
			wrong.add(warnOfCopy(ctx, c, cfg, a, id))
		}
		return sendTurn(ctx, c, cfg, a.Engine, project, r, f, wrong)
	})
}

// sendTurn checks what needs the engine and, where nothing is wrong, takes the turn.
func sendTurn(ctx context.Context, c *console, cfg *config.Config, e turn.Engine, project string, r turn.Request, f *turnFlags, wrong *problems) error {
	id, err := named(ctx, e, r.SessionID)
	wrong.add(err)
	wrong.add(knownPersona(ctx, e, f.persona))
	wrong.add(knownTools(ctx, e, r.Opts.Tools, f.allow))
	a := attaching{files: r.Attachments, model: f.model, upload: f.server != "" && !local(f.server), skip: f.skipRefused}
	if err == nil {
		r.SessionID, a.where = id, target(id, project)
	}
	r.Attachments = nil
	for _, file := range attachFiles(ctx, c, cfg, e, a, wrong) {
		r.Attachments = append(r.Attachments, file.path)
	}
	if !wrong.none() {
		return wrong.err()
	}
	if err := sendable(r, "nothing is left to send without the files that are refused", "add a message, or attach other files"); err != nil {
		return err
	}
	return takeTurn(ctx, c, e, project, r, f)
}

// warnOfCopy says so when the current folder has a copy of the session: the turn
// works elsewhere.
func warnOfCopy(ctx context.Context, c *console, cfg *config.Config, a *app.App, id string) error {
	here, err := projectDir(cfg)
	if id == "" || err != nil {
		return nil // a new session, or a working folder that is gone
	}
	copied, err := a.Store.CopyIn(ctx, here, id)
	if err != nil || !copied {
		return nil // what is wrong with the session, the turn itself will say
	}
	rec, err := a.Engine.Get(ctx, id)
	if err != nil {
		return err
	}
	c.warn(fmt.Sprintf("%s holds a copy of session %s; the turn works on the original, in %s. "+
		"belay session import %s takes the copy over as a session of its own",
		here, id, rec.ProjectRoot, filepath.Join(here, ".belay", "sessions", id)))
	return nil
}

// takeTurn makes the session where there is none, sends the turn and shows it.
func takeTurn(ctx context.Context, c *console, e turn.Engine, project string, r turn.Request, f *turnFlags) error {
	fresh := r.SessionID == ""
	if fresh {
		rec, err := e.Create(ctx, turn.CreateRequest{ProjectRoot: project, Persona: f.persona, Mode: f.mode})
		if err != nil {
			return err
		}
		r.SessionID = rec.SessionID
	}
	if !fresh {
		if err := carryOut(ctx, c, e, r.SessionID, func(s turn.Stream) error { return watchTurn(ctx, c, e, r, f, s) }); err != nil {
			return err
		}
	}
	r.IdempotencyKey = rand.Text() // a lost reply does not begin a second turn
	s, err := e.Start(ctx, r)
	if err != nil && fresh {
		_, err = unstarted(ctx, c, e, r.SessionID, err)
	}
	if err != nil {
		return err
	}
	return watchTurn(ctx, c, e, r, f, s)
}

// watchTurn shows a turn to its end.
func watchTurn(ctx context.Context, c *console, e turn.Engine, r turn.Request, f *turnFlags, s turn.Stream) error {
	w := &watcher{c: c, engine: e, session: r.SessionID, unasked: unasked(r.Opts.OnQuestion, f.mode)}
	if c.asks() {
		w.asker = &asker{c: c, engine: e}
	}
	return errors.Join(w.watch(ctx, s), s.Close())
}
