package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/quantity"
)

// setupFailure is the failure of a test call, with a next step of the set-up.
func setupFailure(c *console, cfg *config.Config, done *setupDone, err error) error {
	f := fault.From(err)
	category, _ := f.Details["category"].(string)
	code, _, hint, _ := explain(nil, err)
	switch model.Category(category) {
	case model.InvalidAPIKey:
		hint = "the provider does not accept the key in " + done.KeyVariable + "; set another one in this shell, then run belay setup again"
	case model.NetworkError, model.RequestTimeout:
		hint = "check the network and " + cfg.Provider + ".base_url, then run belay setup again"
		if ownMachine(cfg) {
			hint = "start the server, or name its address with --base-url, then run belay setup again"
		} else if proxy := proxyVariable(c); proxy != "" {
			hint = "belay does not use " + proxy + " by itself; if the network lets nothing out but through that proxy, run belay config set network.proxy URL, then belay setup again"
		}
	default:
		if f.Type == fault.MissingAPIKey {
			hint = "set it in this shell (export " + done.KeyVariable + "=...), then run belay setup again; --no-test goes on without it"
		}
		hint = strings.ReplaceAll(hint, "send the turn again", "run belay setup again")
	}
	if done.Key != "" {
		hint = loginHint(f, hint)
	}
	return failed(code, hint, err)
}

// tryFailure is the failure of the test call, which has ctx. A timeout of the provider's own
// may be shorter than that of the call.
func tryFailure(ctx context.Context, c *console, cfg *config.Config, done *setupDone, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return failed(ExitTimedOut, "check that the server is well, or name a smaller model with --model",
			fmt.Errorf("%s did not answer within %s", done.Model, quantity.Duration(tryTime)))
	}
	return setupFailure(c, cfg, done, err)
}

// keyWarning is what a chat says at its start of a key that is not accepted, or of a
// provider that cannot be reached; "" for no error.
func keyWarning(err error) string {
	if err == nil {
		return ""
	}
	_, message, hint, _ := explain(nil, err)
	return message + "; " + strings.ReplaceAll(hint, ", then send the turn again", "")
}

// proxyVariable is the variable that names a proxy for addresses with https, if any.
func proxyVariable(c *console) string {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		if c.env[name] != "" {
			return name
		}
	}
	return ""
}
