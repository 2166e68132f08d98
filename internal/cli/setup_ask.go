package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/model"
	"belay/internal/model/anthropic"
	"belay/internal/model/openai"
)

// ownServer is the choice of a server of one's own, which speaks OpenAI's protocol.
const ownServer = "local"

// usualLocal is where Ollama listens.
const usualLocal = "http://127.0.0.1:11434/v1"

// chooseProvider gives the flags that were left out their values: a person is asked on a
// terminal, elsewhere the key in the environment decides.
func chooseProvider(c *console, cmd *cobra.Command, login bool) error {
	flags := cmd.Flags()
	if login {
		return chooseLogin(c, cmd)
	}
	if flags.Changed("provider") {
		return nil
	}
	if flags.Changed("base-url") {
		return flags.Set("provider", openai.Name)
	}
	cfg, err := c.load(cmd)
	if err != nil {
		return err
	}
	var withKey []string
	for _, name := range []string{anthropic.Name, openai.Name} {
		if _, set := app.KeyVariable(cfg, name); set {
			withKey = append(withKey, name)
		}
	}
	if !c.json && isTerminal(c.in) && c.errTerminal {
		return askProvider(c, cmd, cfg, withKey)
	}
	if len(withKey) == 1 {
		return flags.Set("provider", withKey[0])
	}
	const hint = "name it with --provider: anthropic needs ANTHROPIC_API_KEY, openai needs OPENAI_API_KEY or --base-url, scripted needs nothing"
	if len(withKey) > 1 {
		return usageHint(hint, "the environment has keys of several providers: %s", strings.Join(withKey, ", "))
	}
	return usageHint(hint, "no provider was named, and the environment has no key")
}

// choices are what the menu offers, as --provider takes them.
var choices = []string{anthropic.Name, openai.Name, byLogin, ownServer, model.Scripted}

// namedInMenu puts the settings for a name that the menu offers and no provider has.
func namedInMenu(cmd *cobra.Command) error {
	flags := cmd.Flags()
	switch name := strings.ToLower(flags.Lookup("provider").Value.String()); name {
	case ownServer:
		if !flags.Changed("base-url") {
			if err := flags.Set("base-url", usualLocal); err != nil {
				return err
			}
		}
		return flags.Set("provider", openai.Name)
	case byLogin:
		return errors.Join(flags.Set("provider", openai.Name), flags.Set("login", "true"))
	case "", anthropic.Name, openai.Name, model.Scripted:
		return nil
	default:
		return usageHint("name "+strings.Join(choices[:len(choices)-1], ", ")+" or "+choices[len(choices)-1], "there is no provider %q", name)
	}
}

// askProvider asks a person at the terminal for what the flags leave open.
func askProvider(c *console, cmd *cobra.Command, cfg *config.Config, withKey []string) error {
	rows := [][2]string{
		{anthropic.Name, "Claude; " + keyState(cfg, anthropic.Name)},
		{openai.Name, "OpenAI; " + keyState(cfg, openai.Name)},
		{byLogin, "log in with your account, in the browser"},
		{ownServer, "a server with OpenAI's protocol: Ollama, vLLM, llama.cpp; no key"},
		{model.Scripted, "built in and offline: repeats what you say, to look around without a key"},
	}
	usual := "1"
	if len(withKey) > 0 && withKey[0] == openai.Name {
		usual = "2"
	}
	c.tell("Who answers?", "")
	var names []string
	for i, row := range rows {
		names = append(names, row[0])
		c.tell("  "+strconv.Itoa(i+1)+"  "+pad(row[0], noteCells), row[1])
	}
	lines := newAsked(c, cmd)
	name, err := lines.choice("number or name", usual, names)
	if err != nil {
		return err
	}
	values := map[string]string{"provider": name}
	switch name {
	case ownServer:
		values["provider"] = openai.Name
		if values["base-url"], err = lines.line("address of the server", usualLocal); err != nil {
			return err
		}
		if values["model"], err = lines.line("model, as the server calls it", ""); err != nil {
			return err
		}
	case byLogin:
		values["provider"], values["login"], values["base-url"] = openai.Name, "true", c.openRouter.BaseURL()
		if !cmd.Flags().Changed("model") {
			if values["model"], err = askGatewayModel(lines, cfg); err != nil {
				return err
			}
		}
	case openai.Name:
		values["base-url"] = openai.DefaultBaseURL
	}
	for flag, value := range values {
		if value == "" || cmd.Flags().Changed(flag) {
			continue
		}
		if err := cmd.Flags().Set(flag, value); err != nil {
			return err
		}
	}
	return nil
}

// keyState says whether a provider's key is there.
func keyState(cfg *config.Config, provider string) string {
	name, set := app.KeyVariable(cfg, provider)
	if set {
		return name + " is set"
	}
	return name + " is not set"
}

// asked reads answers from a terminal.
type asked struct {
	c   *console
	ctx context.Context
	in  *bufio.Reader
}

func newAsked(c *console, cmd *cobra.Command) *asked {
	return &asked{c: c, ctx: cmd.Context(), in: bufio.NewReader(c.in)}
}

// maxAnswer is the longest answer that is taken, in bytes.
const maxAnswer = 4096

// line asks for a line; an empty one is usual. It ends with ctx: reading a terminal
// cannot be called off, so the goroutine that reads may outlive it, as the process does not.
func (a *asked) line(what, usual string) (string, error) {
	label := what
	if usual != "" {
		label += " [" + usual + "]"
	}
	_, _ = io.WriteString(a.c.err, a.c.paint(styleWarn, label)+": ") // the sink keeps its first error
	type read struct {
		text string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		text, err := a.in.ReadString('\n')
		got <- read{text, err}
	}()
	select {
	case <-a.ctx.Done():
		return "", a.ctx.Err()
	case r := <-got:
		text := strings.TrimSpace(r.text)
		switch {
		case r.err != nil && text == "":
			return "", usageHint("run belay setup again, or say all of it with flags: belay setup --help", "the input ended before the question was answered")
		case len(text) > maxAnswer || clean(text) != text:
			return "", usageHint("type it, or use flags: belay setup --help", "the answer has characters that cannot be meant, or is too long")
		case text == "":
			return usual, nil
		}
		return text, nil
	}
}

// choice asks for one of names, by name or number, until one is given.
func (a *asked) choice(what, usual string, names []string) (string, error) {
	for {
		text, err := a.line(what, usual)
		if err != nil {
			return "", err
		}
		for i, name := range names {
			if text == strconv.Itoa(i+1) || strings.EqualFold(text, name) {
				return name, nil
			}
		}
		a.c.warn("answer 1 to " + strconv.Itoa(len(names)) + ", or one of " + strings.Join(names, ", "))
	}
}
