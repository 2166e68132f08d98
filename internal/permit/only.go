package permit

import (
	"slices"
	"strings"

	"belay/internal/fault"
)

// maxOnly is how many paths an answer may name, maxOnlyBytes how long they may be in
// all.
const (
	maxOnly      = 200
	maxOnlyBytes = 8 << 10
)

// partly says what is wrong with an answer that lets only some files count.
func (e Effect) partly(d Decision) error {
	if len(d.Only) == 0 {
		return nil
	}
	invalid := func(format string, args ...any) *fault.Error {
		return fault.New(fault.InvalidRequest, format, args...).With("field", "only")
	}
	switch {
	case e.Done == nil:
		return invalid("only some files can be chosen of what a command changed, and this question is about something else")
	case d.Verdict == VerdictAllowSession:
		return invalid("only some files can be chosen of this command, not for the whole session").WithHint("leave out --only, or --session (allow_session over HTTP)")
	case d.Verdict != VerdictAllow:
		return invalid("only some files can be chosen with the verdict allow").WithHint("deny drops all of the changes")
	case len(d.Only) > maxOnly || len(strings.Join(d.Only, "")) > maxOnlyBytes:
		return invalid("only has more than %d paths or %d bytes", maxOnly, maxOnlyBytes).WithHint("name folders")
	}
	for _, name := range d.Only {
		found := slices.ContainsFunc(e.Paths, func(p string) bool { return p == name || strings.HasPrefix(p, name+"/") })
		if !found && e.Done.Files == len(e.Paths) {
			return invalid("the command did not change %s", clip(name, 200)).WithHint("name files as the question does, or folders of them")
		}
	}
	return nil
}
