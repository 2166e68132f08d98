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
	return r.MakeAll(ctx, what, []C{change}, do)
}

// MakeAll is Make for changes that are made together.
func (r Recorder[C]) MakeAll(ctx context.Context, what string, changes []C, do func() error) error {
	if r == nil {
		return do()
	}
	for i, c := range changes {
		if err := r(ctx, c, nil); err != nil {
			refused := fault.New(fault.StorageFailure, "the %s could not be put on record, so it was not made", what).Because(err)
			return errors.Join(refused, r.failed(ctx, changes[:i], refused))
		}
	}
	err := do()
	if err == nil {
		return nil
	}
	// The failure is the error to report. That its record failed too is in the log that
	// has no such entry.
	return errors.Join(err, r.failed(ctx, changes, err))
}

// failed puts on record that changes were not made.
func (r Recorder[C]) failed(ctx context.Context, changes []C, why error) (err error) {
	for _, c := range changes {
		err = errors.Join(err, r(context.WithoutCancel(ctx), c, why))
	}
	return err
}
