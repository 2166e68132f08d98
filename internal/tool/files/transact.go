package files

import (
	"context"
	"errors"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
)

// Transact makes the changes of a call in the project of w, all or none. The caller
// has entered the project and opened its journal. Noted are the same changes as the
// session has them on record: they are announced, durably, before anything is done, so
// that a crash leaves a trace, and get the permissions that the files have afterwards. A
// [*journal.ConflictError] says that somebody else was faster.
func Transact(ctx context.Context, w *tool.Environment, j *journal.Project, plan journal.Plan, noted []session.Change) error {
	return TransactThen(ctx, w, j, plan, noted, func() error { return nil })
}

// TransactThen is Transact with something that must follow it. Should that fail, or
// the process die first, the transaction is settled by anyone who opens the journal next.
func TransactThen(ctx context.Context, w *tool.Environment, j *journal.Project, plan journal.Plan, noted []session.Change, then func() error) error {
	tx, err := j.Begin(plan)
	if err != nil {
		return err
	}
	err = durable.Together(tx.Prepare, func() error { return w.Ledger.Intend(ctx, noted...) })
	if err != nil {
		return errors.Join(err, tx.Drop())
	}
	if err := tx.Apply(ctx); err != nil {
		return err
	}
	modes := map[journal.Name]journal.State{}
	for _, c := range tx.Changes() {
		modes[c.Path] = c.After
	}
	for i := range noted {
		if after := modes[journal.Name(noted[i].Path)]; after.Type == journal.File {
			noted[i].AfterMode = after.Mode.Perm()
		}
	}
	if err := then(); err != nil {
		return errors.Join(err, tx.Leave())
	}
	tx.Done()
	return nil
}
