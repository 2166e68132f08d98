package permit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// Answered lists the sessions whose questions were answered at since or later, by
// whichever process. Answers that cannot be read are left out: [Requests.Problems] names
// them.
func (d *Requests) Answered(ctx context.Context, since time.Time) ([]string, error) {
	folder, err := d.root.Root().Stat(dirVerdicts)
	if errors.Is(err, fs.ErrNotExist) || err == nil && folder.ModTime().Before(since) {
		return nil, nil // a new answer changes the folder
	}
	var sessions []string
	if err == nil {
		err = d.each(ctx, dirVerdicts, func(id string) {
			info, err := d.root.Root().Lstat(verdictFile(id))
			if err != nil || info.ModTime().Before(since) {
				return
			}
			if v, err := d.answer(id); err == nil {
				sessions = append(sessions, v.SessionID)
			}
		})
	}
	if err != nil {
		return nil, fmt.Errorf("look for answers: %w", err)
	}
	slices.Sort(sessions)
	return slices.Compact(sessions), nil
}

// Touched is when a question was asked or answered last, by whichever process, as far as
// the folder of the questions tells.
func (d *Requests) Touched() time.Time {
	info, err := d.root.Root().Stat(dirPending)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
