package files

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/session"
)

// Unreverted returns those of the changes whose files are not as they were before
// the first change of each: what [Revert] has left to do. So an undo that was cut
// off can be completed, and a file that was put back by other means is no
// obstacle.
func Unreverted(root *os.Root, changes []session.Change) ([]session.Change, error) {
	targets, _ := netChanges(changes)
	done := map[string]bool{}
	for _, t := range targets {
		if !filepath.IsLocal(filepath.FromSlash(t.path)) || path.Clean(t.path) != t.path {
			continue // Revert says so
		}
		sha, mode, err := standing(root, t.path)
		if errors.Is(err, errMoved) || errors.Is(err, durable.ErrNotRegular) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("undo of %s: %w", t.path, err)
		}
		done[t.path] = sha == t.first.Before && (sha == "" || t.first.BeforeMode == 0 || mode == t.first.BeforeMode)
	}
	var rest []session.Change
	for _, c := range changes {
		if !c.Restored && !done[c.Path] {
			rest = append(rest, c)
		}
	}
	return rest, nil
}
