package changeset

import (
	"context"
	"errors"

	"belay/internal/fault"
)

// Recorder puts a change on the audit log before it is made, with failed nil; and once
// more if it then fails, with the reason. An error of the first call refuses the change. A
// nil Recorder records nothing.
type Recorder[C any] func(ctx context.Context, change C, failed error) error

// Make makes a change that is on record by then. What names it in the error that it could
// not be put on record.
func (r Recorder[C]) Make(ctx context.Context, what string, change C, do func() error) error {
	if r == nil {
		return do()
	}
	if err := r(ctx, change, nil); err != nil {
		return fault.New(fault.StorageFailure, "the %s could not be put on record, so it was not made", what).Because(err)
	}
	err := do()
	if err == nil {
		return nil
	}
	// The failure is the error to report. That its record failed too is in the log that
	// has no such entry.
	return errors.Join(err, r(context.WithoutCancel(ctx), change, err))
}
