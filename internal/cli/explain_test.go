package cli

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"belay/internal/client"
	"belay/internal/model"
)

// A server that does not answer in time is there: to start one would be no help.
func TestNextStepWhereAServerHangs(t *testing.T) {
	t.Parallel()
	away := &client.Unreached{Address: "http://x:1", Err: &url.Error{Op: "Post", URL: "http://x:1/", Err: context.DeadlineExceeded}}
	code, message, hint, _ := explain(nil, away)
	if code != ExitNotFound || !strings.HasSuffix(message, "it did not answer in time") || hint != "look whether the server hangs, or correct the address" {
		t.Errorf("%d: %s; %s", code, message, hint)
	}
}

// A failed turn names the setting that is wrong: the model, or the address.
func TestNextStepAfterNotFound(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{"not_found_error": "default_model", "": "anthropic.base_url"} {
		f := model.UpstreamFailure("anthropic", 404, kind, "no", 0, nil)
		if got := upstreamStep(f); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %s in it", kind, got, want)
		}
	}
}

// A failed turn names the account where that has no money left. Anthropic says so in words.
func TestNextStepWithoutCredit(t *testing.T) {
	t.Parallel()
	for status, message := range map[int]string{402: "no", 400: "Your credit balance is too low to access the Anthropic API."} {
		f := model.UpstreamFailure("anthropic", status, "invalid_request_error", message, 0, nil)
		if got := upstreamStep(f); !strings.Contains(got, "billing of the account") {
			t.Errorf("%d: %q", status, got)
		}
	}
}
