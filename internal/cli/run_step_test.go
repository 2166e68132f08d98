package cli

import (
	"regexp"
	"strings"
	"testing"

	"belay/internal/fault"
)

// What helps against a failure is said of a run, which has no turn that could be sent
// again, in whole sentences.
func TestStepsOfRuns(t *testing.T) {
	t.Parallel()
	dangling := regexp.MustCompile(`(?:\b(?:and|or|then)|[;,])\s*(?:$|[;,])|^\s*(?:and|or|then|[;,])|  `)
	steps := []string{
		"send the turn again, or raise turn.stall_timeout", "check the network and openai.base_url, then send the turn again",
		"leave the lock files in the state folder alone; send the turn again", "let belay write to .belay, and send the turn again",
		"the provider is overloaded or has a fault of its own; send the turn again later", "send the turn again; if it fails the same way, wait",
	}
	for _, s := range fault.Types() {
		steps = append(steps, s.Hint)
	}
	if got := stepOfRun(fault.New(fault.InvalidRequest, "x")); got != "correct what is named above" {
		t.Errorf("a run has no flags to look up: %q", got)
	}
	for _, step := range steps {
		f := fault.New(fault.StorageFailure, "x").WithHint("%s", step)
		if got := stepOfRun(f); strings.Contains(got, "send the turn") || dangling.MatchString(got) {
			t.Errorf("%q became %q", step, got)
		}
		if got := fault.From(unbegun(f)).NextStep(); strings.Contains(got, "send the turn") || got == "" && step != "" {
			t.Errorf("%q became %q", step, got)
		}
	}
}
