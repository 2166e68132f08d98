package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/client"
	"belay/internal/fault"
)

// withCode puts a code at the end of a message: before the colon of a list, whose lines have
// codes of their own, and nowhere where a narrower code stands already.
func withCode[Code ~string](message string, code Code) string {
	first, list, isList := strings.Cut(message, ":\n")
	switch {
	case isList:
		return fmt.Sprintf("%s (%s):\n%s", first, code, list)
	case hasCode(message):
		return message
	}
	return fmt.Sprintf("%s (%s)", message, code)
}

// hasCode reports whether a message ends with a code. Other words in capitals are
// abbreviations, or names of variables.
func hasCode(message string) bool {
	return slices.ContainsFunc(fault.Types(), func(s fault.Spec) bool {
		return strings.HasSuffix(message, "("+string(s.Type)+")")
	})
}

// withoutReason is the message of f without its cause, which is printed with its path.
func withoutReason(f *fault.Error) string {
	if at := (*fs.PathError)(nil); errors.As(f.Cause, &at) {
		return strings.TrimSuffix(f.Message, ": "+at.Err.Error())
	}
	if link := (*os.LinkError)(nil); errors.As(f.Cause, &link) {
		return strings.TrimSuffix(f.Message, ": "+link.Err.Error())
	}
	return strings.TrimSuffix(f.Message, ": "+f.Cause.Error())
}

// noTurn takes out of a next step that a turn is sent again, or written otherwise: a run goes on,
// or begins anew.
var noTurn = strings.NewReplacer(
	"; --help lists the flags", "",
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
	step := cmp.Or(stepOfRun(f), "begin the run anew")
	return f.WithHint("%s", step)
}

// asTyped has the problems of a workflow file name it as it was typed, so that a terminal
// or an editor finds it. The error is the command's own: it is changed in place.
func asTyped(err error, args []string) error {
	if len(args) == 0 {
		return err
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			_ = asTyped(e, args)
		}
		return err
	}
	var f *fault.Error
	if !errors.As(err, &f) || f.Details["problems"] == nil {
		return err
	}
	var all []map[string]any
	if data, e := json.Marshal(f.Details["problems"]); e != nil || json.Unmarshal(data, &all) != nil {
		return err
	}
	for _, p := range all {
		if p["file"] == filepath.Base(args[0]) {
			p["file"] = args[0]
		}
	}
	f.Details["problems"] = all
	return err
}

// awayStep is the next step where no answer came from a server.
func awayStep(away *client.Unreached) string {
	late := (net.Error)(nil)
	switch {
	case errors.As(away, new(*client.Silent)):
		return "the server hangs: look at its log, and start it again"
	case errors.As(away.Err, &late) && late.Timeout():
		return "look whether the server hangs, or correct the address"
	}
	return "start a server with belay serve, or correct the address"
}
