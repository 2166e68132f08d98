package permit

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
)

// settle makes dec the answer to r unless there is one, and returns what counts
// and whether that is dec. The audit log and a grant are written first: nothing
// takes effect that is not on record. All of it is on disk when settle returns;
// should a power cut bring the question back, its answer still counts.
func (d *Requests) settle(ctx context.Context, r Request, dec Decision) (settled Decision, won bool, err error) {
	dec.About = r.Effect.Fingerprint()
	err = d.locked(ctx, func() (err error) {
		v, err := d.answer(r.ID)
		if err == nil {
			settled = v.Decision
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			settled = d.unreadable(r.ID)
			return nil
		}
		if _, err := d.root.Root().Lstat(questionFile(r.ID)); err != nil {
			return err
		}
		// What cannot be kept is refused before the log says that it counts.
		answer, err := encode(newRecord(r, dec))
		if err == nil && len(answer) > maxVerdictBytes {
			err = fault.New(fault.InvalidRequest, "the answer has more than %d bytes", maxVerdictBytes).WithHint("write a shorter note, or name fewer files")
		}
		if err != nil {
			return err
		}
		var g grants
		if dec.Verdict == VerdictAllowSession {
			if g, err = d.prepareGrants(r, dec); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, g.lines.Close()) }()
		}
		if d.o.Audit != nil {
			if err := d.o.Audit.Append(ctx, r.entry(dec)); err != nil {
				return err
			}
		}
		if g.lines != nil {
			if err := d.note(g); err != nil {
				return err
			}
		}
		settled, won = dec, true
		if err := writeJSON(d.root.Root(), verdictFile(r.ID), newRecord(r, dec), durable.Decision); err != nil {
			return err
		}
		return d.remove(questionFile(r.ID))
	})
	if errors.Is(err, durable.ErrUnflushed) {
		d.waiters.wake(r.ID) // the answer counts all the same
	}
	if err != nil {
		return Decision{}, false, err
	}
	d.waiters.wake(r.ID)
	return settled, won, nil
}

// unreadable is the decision where the record of one is damaged: a denial.
func (d *Requests) unreadable(id string) Decision {
	return Decision{DecisionID: id, Verdict: VerdictDeny, By: ByBelay, Note: "what is recorded of it cannot be read", Time: d.o.Clock().UTC()}
}

// storage is an error of the disk as surfaces tell it.
func storage(err error) error {
	var f *fault.Error
	if err == nil || errors.As(err, &f) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, durable.ErrUnflushed) {
		return fault.New(fault.StorageFailure, "the decision counts, but the disk did not confirm it; a power cut may take it back").
			WithHint("look after the disk").Because(err)
	}
	return fault.New(fault.StorageFailure, "the decision could not be recorded").Because(err)
}

// plain reports whether a text of a person has no control characters but line
// ends and tabs.
func plain(s string, more string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return (r < ' ' || r == 0x7f || r == '\uFFFD') && !strings.ContainsRune(more, r) })
}
