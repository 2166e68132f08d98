package cli

import (
	"context"
	"log/slog"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/model"
	"belay/internal/model/openai"
	"belay/internal/netguard"
	"belay/internal/openrouter"
	"belay/internal/quantity"
)

// tryTime bounds the test call. Local servers load a model at the first one.
const tryTime = 2 * time.Minute

// setupDone is what belay setup did, as JSON.
type setupDone struct {
	Provider string `json:"provider"`
	Model    string `json:"model,omitempty"`
	// KeyVariable is where the key comes from, empty where the provider has none.
	KeyVariable string `json:"keyVariable,omitempty"`
	// Key is the key of a login, which is stored nowhere else.
	Key string `json:"key,omitempty"`
	// Tested is set if a model answered; it took so many milliseconds.
	Tested bool  `json:"tested"`
	TookMS int64 `json:"tookMs,omitempty"`
	// File is the configuration file, Shell the line to add to the shell's own.
	File  string    `json:"file"`
	Shell shellLine `json:"shell"`
}

func newSetup(c *console) *cobra.Command {
	var o setupFlags
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Choose who answers, try it, and keep the choice",
		Long: `Choose the provider, check its key with one short call, and write the choice to your
configuration file. On a terminal belay asks for what the flags leave open. Elsewhere, and
with --json, it takes the provider whose key is in the environment.

A key is read from the environment each time and stored nowhere: ANTHROPIC_API_KEY for
anthropic, OPENAI_API_KEY for openai. Servers on this machine need none. Nothing is written
if the call fails. At the end a line is printed that brings completion to your shell, and
belay itself if it is not in your PATH.

With --login there is no key to paste. You log in to OpenRouter, a gateway to many models,
with your browser on this machine, and allow belay a key. belay tries it, stores it nowhere,
and prints the line that gives it to your shell. --model names the model, as VENDOR/MODEL.
With eval the key is not shown; in fish, belay setup --login | source does that.`,
		Example: `  belay setup
  belay setup --provider anthropic
  belay setup --provider openai --base-url http://127.0.0.1:11434/v1 --model qwen3
  belay setup --provider local --model qwen3
  belay setup --provider scripted --json
  eval "$(belay setup --login)"`,
		Args: cobra.NoArgs,
	}
	setting(cmd, "provider", "provider", "answer with `NAME`: scripted, anthropic or openai; local is a server of your own, openrouter is --login")
	setting(cmd, "model", "model", "use the model `NAME` where a turn names none")
	setting(cmd, "base-url", "openai.base_url", "the `URL` of a server with OpenAI's protocol, for the provider openai")
	cmd.Flags().BoolVar(&o.untested, "no-test", false, "write the choice without a call, also where the key is missing")
	cmd.Flags().BoolVar(&o.login, "login", false, "log in to OpenRouter with your account, in the browser, for a key")
	cmd.Flags().BoolVar(&o.noBrowser, "no-browser", false, "with --login: print the address, and open no browser")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return setUp(c, cmd, &o) }
	return cmd
}

// setupFlags are the flags of belay setup that are no settings. Answers of a person set
// login too.
type setupFlags struct{ untested, login, noBrowser bool }

func setUp(c *console, cmd *cobra.Command, o *setupFlags) (err error) {
	if err := namedInMenu(cmd); err != nil {
		return err
	}
	if err := chooseProvider(c, cmd, o.login); err != nil {
		return err
	}
	cfg, err := c.load(cmd)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("base-url") && cfg.Provider != openai.Name {
		return usageHint("add --provider openai, or leave --base-url out", "--base-url is for the provider openai, not %s", cfg.Provider)
	}
	if err := modelOfOwnServer(c, cmd, cfg, o.login); err != nil {
		return err
	}
	cfg, left, err := withoutOthersModel(c, cmd, cfg, o.login)
	if err != nil {
		return err
	}
	done := setupDone{Provider: cfg.Provider, Shell: yourShell(c)}
	if o.login {
		if cfg, done.Key, err = logIn(c, cmd, cfg, !o.noBrowser); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				c.warn("the key of this login is not used, and belay did not keep it; delete it at " + openrouter.KeysPage)
			}
		}()
	}
	if err := tryProvider(c, cmd, cfg, &done, o.untested); err != nil {
		return err
	}
	for _, name := range left {
		c.note("model", name)
	}
	if done.File, err = keepChoice(c, cmd, cfg, o.login); err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(done)
	}
	c.note("written", done.File)
	if done.Key != "" {
		c.warn("whoever has the key can spend the credit of your account; take the key back at " + openrouter.KeysPage)
		c.note("key", "this line gives it to your shell; belay stores it nowhere:")
		c.write(keyLine(done.Shell.Name, done.KeyVariable, done.Key) + "\n")
	}
	c.note("shell", "add this line to "+done.Shell.File+":")
	c.write(done.Shell.Line + "\n")
	c.note("next", `belay chat, or belay turn "What is in this project?"`)
	return nil
}

// tryProvider checks the key of the chosen provider, and asks it for an answer.
func tryProvider(c *console, cmd *cobra.Command, cfg *config.Config, done *setupDone, untested bool) error {
	variable, set := app.KeyVariable(cfg, cfg.Provider)
	done.KeyVariable = variable
	if untested {
		if variable != "" && !set && !ownMachine(cfg) {
			c.warn(variable + " is not set; set it before the first turn")
		}
		return nil
	}
	if set && done.Key == "" {
		c.note("key", variable+" is set; it is read from the environment each time and stored nowhere")
	}
	return c.within(cmd, cfg, slog.New(slog.DiscardHandler), func(ctx context.Context, a *app.App) error {
		if done.Model = app.UsualModel(a); cfg.Provider != model.Scripted {
			c.note("test", "one short call of "+done.Model+" at "+baseURL(cfg))
		}
		ctx, cancel := context.WithTimeout(ctx, tryTime)
		defer cancel()
		took, err := app.Try(ctx, a)
		if err != nil {
			return tryFailure(ctx, c, cfg, done, err)
		}
		done.Tested, done.TookMS = true, took.Milliseconds()
		c.note("answered", done.Model+", after "+quantity.Duration(took))
		return nil
	})
}

// ownMachine reports whether the provider is a server on this machine, which needs no key.
func ownMachine(cfg *config.Config) bool {
	u, err := url.Parse(cfg.OpenAI.BaseURL)
	return err == nil && cfg.Provider == openai.Name && netguard.IsLoopback(u.Hostname())
}

// baseURL is where requests to the provider go.
func baseURL(cfg *config.Config) string {
	if cfg.Provider == openai.Name {
		return cfg.OpenAI.BaseURL
	}
	return cfg.Anthropic.BaseURL
}

// keepChoice writes the settings that the command line chose to the person's file, and
// returns its path. After a login the host of the gateway is among the allowed ones.
func keepChoice(c *console, cmd *cobra.Command, cfg *config.Config, login bool) (path string, err error) {
	stays := c.layers(cmd)
	stays.Flags = nil
	if login {
		if err := keepHost(c, cmd, stays); err != nil {
			return "", err
		}
	}
	before, _ := config.Examine(stays)
	values := map[string]string{"provider": cfg.Provider, "model": cfg.Model, "openai.base_url": cfg.OpenAI.BaseURL, "openai.model": cfg.OpenAI.Model}
	for _, key := range []string{"openai.base_url", "openai.model", "model", "provider"} {
		if key != "provider" && valueOf(before, key).Value == values[key] {
			continue // the file, or the default, says so already
		}
		var value *string // nil takes the setting out
		if text := values[key]; text != "" && (key != "openai.model" || text != valueOf(before, key).Default) {
			value = &text
		}
		var problems []config.Problem
		path, problems, err = config.Edit(cmd.Context(), stays, key, value)
		switch {
		case err != nil:
			return path, err
		case len(problems) > 0:
			return path, wrongSettings(problems, cmd)
		}
	}
	after, _ := config.Examine(stays)
	for key, want := range values {
		if row := valueOf(after, key); row.Value != want {
			c.warn(row.Origin + " still sets " + key + " to " + row.Value)
		}
	}
	return path, nil
}

func valueOf(cfg *config.Config, key string) config.Row {
	for _, row := range cfg.Show() {
		if row.Key == key {
			return row
		}
	}
	return config.Row{}
}
