package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shownMatches is how many ids an ambiguous prefix lists, and how many paths a question
// does.
const shownMatches = 5

// The argument rules of commands about one question, run or kept change.
var (
	needsQuestion = needsID("list the open ones with belay decision list", "name one question by its id")
	needsRun      = needsID("list the runs with belay runs list", "name one run by its id")
	needsChange   = needsID("list the kept ones with belay changes list", "name one change by its id")
)

func needsID(hint, message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return failed(ExitUsage, hint, errors.New(message))
	}
}

// resolveID returns the id of the one of all that a person named: by the whole id, or by a
// prefix of at least so many characters that no other id has. What names none is left as
// it is, for the command itself to say so. Kind is for the errors about a prefix that is
// too short, or that several ids have.
func resolveID[T any](all []T, id func(T) string, named string, least int, kind string) (string, error) {
	var found []string
	for _, v := range all {
		if strings.HasPrefix(id(v), named) && !slices.Contains(found, id(v)) {
			found = append(found, id(v))
		}
	}
	wrong := fmt.Errorf("more than one %s has an id that begins with %s", kind, named)
	switch {
	case len(found) == 0, slices.Contains(found, named):
		return named, nil
	case len(named) < least:
		wrong = fmt.Errorf("%s is too short to name one %s: at least %d characters do", named, kind, least)
	case len(found) == 1:
		return found[0], nil
	}
	if len(found) > shownMatches {
		found = append(found[:shownMatches], "…")
	}
	return "", failed(ExitUsage, "write more of the id of the one you mean: "+strings.Join(found, ", "), wrong)
}

// maxID is as long as an id can be, minShown as short as one is shown: sess_ and eight
// characters.
const maxID, minShown = 80, 13

// shortener returns a function that cuts ids for a terminal to what tells them apart.
// Nothing is cut where programs may read the output.
func shortener(c *console, ids []string) func(id string) string {
	shown := maxID
	if c.width > 0 {
		shown = telling(ids)
	}
	return func(id string) string { return id[:min(shown, len(id))] }
}

// idsOf are the ids of all.
func idsOf[T any](all []T, id func(T) string) []string {
	ids := make([]string, len(all))
	for i, v := range all {
		ids[i] = id(v)
	}
	return ids
}

// telling is how many characters tell every one of the ids from the others.
func telling(ids []string) int {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	n := minShown
	for i := 1; i < len(ids); i++ {
		same := 0
		for same < min(len(ids[i-1]), len(ids[i])) && ids[i-1][same] == ids[i][same] {
			same++
		}
		n = max(n, same+1)
	}
	return n
}
