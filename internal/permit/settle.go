package permit

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
)

// settle makes dec the answer to r unless there is one, and returns what counts
// and whether that is dec. The audit log and a grant are written first: nothing
// takes effect that is not on record.
func (d *Desk) settle(ctx context.Context, r Request, dec Decision) (settled Decision, won bool, err error) {
	dec.About = r.Effect.Fingerprint()
	err = d.locked(ctx, func() error {
		v, err := d.answer(r.ID)
		if err == nil {
			settled = v.Decision
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			settled = Decision{DecisionID: r.ID, Verdict: VerdictDeny, By: ByBelay, Note: "the recorded answer cannot be read", Time: d.o.Clock().UTC()}
			return nil
		}
		if _, err := d.root.Lstat(questionFile(r.ID)); err != nil {
			return err
		}
		if d.o.Audit != nil {
			if err := d.o.Audit.Append(ctx, r.entry(dec)); err != nil {
				return err
			}
		}
		if dec.Verdict == VerdictAllowSession {
			if err := d.grant(r, dec); err != nil {
				return err
			}
		}
		settled, won = dec, true
		if err := d.place(verdictFile(r.ID), record{r.SessionID, dec, dec.About}); err != nil {
			return err
		}
		return d.remove(questionFile(r.ID))
	})
	if err != nil {
		return Decision{}, false, err
	}
	d.watch.wake(r.ID)
	return settled, won, nil
}

// place makes a file with v that was not there before: whole, or not at all, and
// fs.ErrExist where it is there.
func (d *Desk) place(name string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	temp := durable.TempPrefix + rand.Text()
	if err := durable.WriteFile(d.root, temp, data, 0o600, durable.Decision); err != nil {
		return err
	}
	err = durable.Link(d.root, temp, name)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		err = d.create(name, data) // a file system without links
	}
	return errors.Join(err, d.root.Remove(temp))
}

// create is place where a file cannot be given a second name: a process that
// dies in it leaves an answer that nobody can read, and the question is denied
// when its time is over.
func (d *Desk) create(name string, data []byte) error {
	f, err := durable.Create(d.root, name, 0o600, durable.Decision)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// storage is an error of the disk as surfaces tell it.
func storage(err error) error {
	var f *fault.Error
	if err == nil || errors.As(err, &f) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.New(fault.StorageFailure, "the decision could not be recorded").Because(err)
}

// plain reports whether a text of a person has no control characters but line
// ends and tabs.
func plain(s string, more string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return (r < ' ' || r == 0x7f || r == '\uFFFD') && !strings.ContainsRune(more, r) })
}
