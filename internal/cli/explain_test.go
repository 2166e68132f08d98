package cli

import (
	"strings"
	"testing"

	"belay/internal/model"
)

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
