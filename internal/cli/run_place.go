package cli

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"belay/internal/fault"
)

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
