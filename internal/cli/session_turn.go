package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"belay/internal/session"
	"belay/internal/turn"
)

// turnNamed returns the id of the turn of a session that a person named: by the
// whole id, or by a beginning of it that no other turn of the session has. What
// names none is left as it is, for the command itself to say so.
func turnNamed(ctx context.Context, e turn.Engine, sessionID, named string) (string, error) {
	if named == "" {
		return "", nil
	}
	entries, err := e.Transcript(ctx, sessionID)
	if err != nil {
		return "", err
	}
	var found []string
	for _, entry := range entries {
		if entry.Kind == session.EntryTurn && strings.HasPrefix(entry.Turn, named) && !slices.Contains(found, entry.Turn) {
			found = append(found, entry.Turn)
		}
	}
	switch {
	case slices.Contains(found, named), len(found) == 0:
		return named, nil
	case len(found) == 1:
		return found[0], nil
	}
	return "", failed(ExitUsage, "write more of the id; see them with belay session show "+sessionID,
		fmt.Errorf("%d turns have an id that begins with %s", len(found), named))
}
