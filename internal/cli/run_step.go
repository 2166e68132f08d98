package cli

import (
	"errors"
	"strings"

	"belay/internal/fault"
)

// noTurn takes out of a next step that a turn is sent again: a run goes on, or begins
// anew.
var noTurn = strings.NewReplacer(
	", then send the turn again", "", ", and send the turn again", "", " and send the turn again", "", "; send the turn again later", "; try again later",
	"send the turn again; ", "", "send the turn again, or ", "", "; send the turn again", "", "send the turn again", "",
)

// stepOfRun is the next step after a failure of a run.
func stepOfRun(f *fault.Error) string { return noTurn.Replace(nextStep(f)) }

// unbegun is the failure of a run that did not begin.
func unbegun(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || !strings.Contains(nextStep(f), "send the turn again") {
		return err
	}
	step := stepOfRun(f)
	if step == "" {
		step = "begin the run anew"
	}
	return f.WithHint("%s", step)
}
