package permit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"belay/internal/durable"
)

// Sweep denies the questions whose time is over, and forgets the answers of a month
// ago and the questions that a power cut has torn. OpenRequests does it; a process that
// lives long does it at times.
func (d *Requests) Sweep(ctx context.Context) error {
	var errs []error
	err := d.each(ctx, dirPending, func(id string) {
		r, err := d.question(id)
		if errors.Is(err, errMalformed) && d.incomplete(id) {
			errs = append(errs, d.remove(questionFile(id)))
		}
		if err != nil {
			return
		}
		if _, err := d.answer(id); err == nil { // a process died between the two
			errs = append(errs, d.remove(questionFile(id)))
		} else if d.expired(r) {
			if _, _, err := d.settle(ctx, r, d.late(r)); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	})
	errs = append(errs, err, d.each(ctx, dirVerdicts, func(id string) {
		if info, err := d.root.Root().Lstat(verdictFile(id)); err == nil && d.o.Clock().Sub(info.ModTime()) > kept {
			errs = append(errs, d.locked(ctx, func() error { return d.drop(id) }))
		}
	}), d.sweepTemps())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sweep the permission requests: %w", err)
	}
	return nil
}

// incomplete reports whether a question was cut off: its turn died with it. What a newer
// belay may have written is whole.
func (d *Requests) incomplete(id string) bool {
	data, _, err := durable.ReadFile(d.root.Root(), questionFile(id), maxRequestBytes)
	return err == nil && !json.Valid(data)
}

// drop removes a question, then its answer: at no moment is it open again.
func (d *Requests) drop(id string) error {
	return errors.Join(d.remove(questionFile(id)), d.remove(verdictFile(id)))
}

func (d *Requests) remove(name string) error {
	if err := durable.Remove(d.root.Root(), name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sweepTemps removes what processes left that died while they wrote.
func (d *Requests) sweepTemps() error {
	var errs []error
	for _, dir := range []string{".", dirPending, dirVerdicts, dirGrants} {
		names, err := d.names(dir)
		errs = append(errs, err)
		for _, name := range names {
			if !strings.HasPrefix(name, durable.TempPrefix) {
				continue
			}
			full := dir + "/" + name
			if info, err := d.root.Root().Lstat(full); err == nil && d.o.Clock().Sub(info.ModTime()) > settleTime {
				errs = append(errs, d.remove(full))
			}
		}
	}
	return errors.Join(errs...)
}

// Problems names what is in the store and does not belong there: files of other
// names, and those that cannot be read.
func (d *Requests) Problems(ctx context.Context) ([]string, error) {
	var problems []string
	for dir, read := range map[string]func(id string) error{
		dirPending:  func(id string) error { _, err := d.question(id); return err },
		dirVerdicts: func(id string) error { _, err := d.answer(id); return err },
	} {
		names, err := d.names(dir)
		if err != nil {
			return nil, fmt.Errorf("check the permission requests: %w", err)
		}
		for _, name := range names {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("check the permission requests: %w", context.Cause(ctx))
			}
			id, ok := strings.CutSuffix(name, ".json")
			switch {
			case strings.HasPrefix(name, durable.TempPrefix):
			case !ok || !idPattern.MatchString(id):
				problems = append(problems, fmt.Sprintf("%s/%q is not a file of the permission requests", dir, clip(name, 100)))
			default:
				if err := read(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
					problems = append(problems, fmt.Sprintf("%s/%s cannot be read: %v", dir, name, err))
				}
			}
		}
	}
	slices.Sort(problems)
	return problems, nil
}
