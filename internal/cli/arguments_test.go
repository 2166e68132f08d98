package cli

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every command says in its own words that it was given too few or too many
// arguments.
func TestArgumentsAreExplained(t *testing.T) {
	t.Parallel()
	c := newConsole(strings.NewReader(""), io.Discard, io.Discard, nil)
	var raw []string
	for _, cmd := range tree(newRoot(c)) {
		if cmd.Args == nil || cmd.HasSubCommands() {
			continue
		}
		for n := range mostArguments + 2 {
			err := cmd.Args(cmd, slices.Repeat([]string{"x"}, n))
			own := (*failure)(nil)
			if err != nil && (!errors.As(err, &own) || own.code != ExitUsage || own.hint == "") {
				raw = append(raw, cmd.CommandPath()+": "+err.Error())
			}
		}
	}
	if diff := cmp.Diff([]string(nil), raw); diff != "" {
		t.Errorf("arguments that are refused without a next step (-want +got):\n%s", diff)
	}
}
