package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/model/openai"
	"belay/internal/openrouter"
)

// byLogin is the choice of the gateway that a person logs in to.
const byLogin = "openrouter"

// gatewayModels is where the gateway lists its models.
const gatewayModels = openrouter.Address + "/models"

// chooseLogin sets the flags that --login implies. The model is asked for on a terminal.
func chooseLogin(c *console, cmd *cobra.Command) error {
	flags := cmd.Flags()
	if provider := flags.Lookup("provider"); flags.Changed("base-url") || provider.Changed && provider.Value.String() != openai.Name {
		return usageHint("leave them out: --login chooses the provider openai and OpenRouter's address", "--login goes with no other --provider and no --base-url")
	}
	if err := errors.Join(flags.Set("provider", openai.Name), flags.Set("base-url", c.openRouter.BaseURL())); err != nil {
		return err
	}
	cfg, err := c.load(cmd)
	if err != nil {
		return err
	}
	switch {
	case isGatewayModel(cfg.Model):
		return nil
	case !flags.Changed("model") && !c.json && isTerminal(c.in) && c.errTerminal:
		name, err := askGatewayModel(newAsked(c, cmd), cfg)
		if err != nil {
			return err
		}
		return flags.Set("model", name)
	}
	return usageHint("name one with --model, such as --model openrouter/auto; "+gatewayModels+" lists them", "OpenRouter needs a model's name of the form VENDOR/MODEL")
}

func isGatewayModel(name string) bool {
	vendor, model, ok := strings.Cut(name, "/")
	return ok && vendor != "" && model != ""
}

// askGatewayModel asks for a model until its name has the gateway's form.
func askGatewayModel(lines *asked, cfg *config.Config) (string, error) {
	usual := ""
	if isGatewayModel(cfg.Model) {
		usual = cfg.Model
	}
	lines.c.tell("Which model?", gatewayModels+" lists them; openrouter/auto lets OpenRouter choose")
	for {
		name, err := lines.line("VENDOR/MODEL", usual)
		if err != nil || isGatewayModel(name) {
			return name, err
		}
		lines.c.warn("OpenRouter's names have the form VENDOR/MODEL")
	}
}

// logIn gets a key with the person's browser. It returns the settings with the key, as if
// the environment had it, and with the gateway among the allowed hosts.
func logIn(c *console, cmd *cobra.Command, cfg *config.Config, browser bool) (*config.Config, string, error) {
	o := c.openRouter
	if cfg.Network.Proxy != "" {
		proxy, err := url.Parse(cfg.Network.Proxy)
		if err != nil {
			return nil, "", fmt.Errorf("network.proxy: %w", err)
		}
		o.Proxy = proxy
	}
	wait := cmp.Or(o.Wait, openrouter.Wait)
	key, err := openrouter.Login(cmd.Context(), o, func(address string) error {
		c.tell("Log in", "with a browser on this machine, at this address:")
		_, _ = io.WriteString(c.err, line(address)+"\n") // the sink keeps its first error
		if browser {
			openBrowser(cmd.Context(), c, address)
		}
		c.note("waiting", fmt.Sprintf("for the browser, at most %.0f minutes; Ctrl-C ends it", wait.Minutes()))
		return nil
	})
	if errors.Is(err, openrouter.ErrNoCallback) {
		return nil, "", failed(ExitTimedOut, "run belay setup --login again; the browser has to run on this machine", err)
	}
	if err != nil {
		return nil, "", loginFailure(c, err)
	}
	variable, _ := app.KeyVariable(cfg, openai.Name)
	c.env[variable] = key // of this console alone: no program that belay starts gets it
	if cfg, err = c.load(cmd); err != nil {
		return nil, "", err
	}
	cfg.Network.AllowedHosts = append(slices.Clip(cfg.Network.AllowedHosts), o.Host())
	return cfg, key, nil
}

// loginFailure is the failure of a login, with a next step of the set-up.
func loginFailure(c *console, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	code, _, hint, _ := explain(nil, err)
	hint = strings.ReplaceAll(hint, "log in again", "run belay setup --login again")
	if name := proxyVariable(c); name != "" && strings.Contains(hint, "network.proxy") {
		hint += "; belay does not use " + name + " by itself"
	}
	return failed(code, hint, err)
}

// loginHint is the next step after a test call with the key of a login.
func loginHint(f *fault.Error, hint string) string {
	switch f.Status {
	case http.StatusPaymentRequired:
		return "the account has no credit: add some at " + openrouter.Address + "/settings/credits, then run belay setup --login again"
	case http.StatusBadRequest, http.StatusNotFound:
		return "run belay setup --login again with a model that OpenRouter has: " + gatewayModels + " lists them"
	case http.StatusUnauthorized:
		return "OpenRouter does not accept its new key; run belay setup --login again"
	}
	return strings.ReplaceAll(hint, "run belay setup again", "run belay setup --login again")
}

// keepHost allows the gateway's host in the person's file.
func keepHost(c *console, cmd *cobra.Command, stays config.Options) error {
	host := c.openRouter.Host()
	_, problems, err := config.Append(cmd.Context(), stays, "network.allowed_hosts", host)
	switch {
	case err != nil:
		return err
	case len(problems) > 0:
		return wrongSettings(problems, cmd)
	}
	after, _ := config.Examine(stays)
	if !slices.Contains(after.Network.AllowedHosts, host) {
		c.warn(valueOf(after, "network.allowed_hosts").Origin + " sets network.allowed_hosts without " + host)
	}
	return nil
}
