package run

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"belay/internal/durable"
	"belay/internal/event"
	"belay/internal/workflow/definition"
)

// records writes what a run does: its record, those of its tasks, and its events.
type records struct {
	clock   func() time.Time
	folder  *folder
	journal *journal
	// members are the records of tasks in large collections.
	members members

	// mu guards what follows: tasks that run at the same time write it.
	mu     sync.Mutex
	record Record
	// before are the tasks that are on record from before, by key.
	before map[string]*Task
	order  int
	// reserved counts the tasks.
	reserved reserved
	// left is when the process before stopped to work on the run: the run's end, or the
	// last sign of life.
	left time.Time
}

// openJournal opens the run's log, and looks how long the process before was alive.
func (r *records) openJournal(lock *durable.FileLock, made bool) (err error) {
	if r.journal, err = openJournal(r.folder, made, r.clock); err != nil {
		return err
	}
	if r.left = lastAlive(lock.File()); r.left.Before(r.journal.last) {
		r.left = r.journal.last
	}
	return nil
}

func (r *records) now() time.Time { return r.clock().UTC() }

// close closes the files.
func (r *records) close() error {
	var errs []error
	if r.journal != nil {
		errs = append(errs, r.journal.close())
	}
	errs = append(errs, r.members.close())
	if r.folder != nil {
		r.folder.close()
	}
	return errors.Join(errs...)
}

func (r *records) summary() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.record.Summary
	s.Live = true
	return s
}

// isOver reports whether the run has come to an end after which no answer to one of its
// tasks counts. One that could not be recorded goes on where it was.
func (r *records) isOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record.isOver()
}

// beginning is the task's record: that from before, or a new one.
func (r *records) beginning(t *definition.Task, p place, s scope) *Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec := r.before[p.key]; rec != nil { // which stays where it is, however many there are now
		if rec.Input == nil && p.within() {
			rec.Input = s.input
		}
		if !rec.ended() {
			rec.goesOn(r.record.Pauses, r.now())
			rec.Status, rec.Error, rec.EndedAt = Running, nil, nil
		}
		return rec
	}
	r.reserved.begins(p.key)
	if p.order == 0 {
		r.order++
		p.order = r.order
	}
	rec := &Task{Key: p.key, ID: t.ID, Kind: t.Kind, Order: p.order, Status: Running, StartedAt: r.now(), many: p.many}
	if s.in {
		rec.Index, rec.Item = &s.index, s.item
	}
	if t.Agent != nil {
		rec.Agent = t.Agent.ID
	}
	if t.Action != nil {
		rec.Action = t.Action.ID
	}
	return rec
}

// nextOrder is the place in the order of beginning of a task that is about to begin
// beside others.
func (r *records) nextOrder(key string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.before[key] == nil {
		r.order++
	}
	return r.order
}

// succeededWith reports whether a task that holds the one of a key has succeeded all the
// same: what it holds is not tried again.
func (r *records) succeededWith(key string) bool {
	for holder := range holders(key) {
		if rec := r.before[holder]; rec != nil && rec.Status == Success {
			return true
		}
	}
	return false
}

// winner is the member of a race that has succeeded before, -1 for none.
func (r *records) winner(members []member) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.IndexFunc(members, func(m member) bool {
		rec := r.before[m.p.key]
		return rec != nil && rec.Status == Success
	})
}

// announce records that the task has begun, and writes the event.
func (r *records) announce(rec *Task, of int) error {
	if err := r.keep(rec); err != nil {
		return err
	}
	return r.journal.add(TaskStart, rec.Key, TaskBegun{
		ID: rec.ID, Kind: rec.Kind, Agent: rec.Agent, Action: rec.Action, Model: rec.Model, Index: rec.Index, Of: of,
	})
}

// keep writes a task's record. That of a task in a large collection is on disk when the
// task has ended: one that had not is done again.
func (r *records) keep(rec *Task) error {
	if !rec.many {
		return r.folder.writeTask(rec)
	}
	written := *rec
	if rec.inherits {
		written.Input = nil
	}
	return r.members.put(context.Background(), r.folder, &written, rec.Status != Running)
}

// account adds what a turn used and was not permitted to its task, and to the run. What the
// task's earlier attempts used counts already.
func (r *records) account(rec *Task, usage *event.Tokens, calls *event.Calls) {
	rec.Usage, rec.Calls = sum(rec.Usage, usage), rec.Calls.Plus(calls)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Usage, r.record.Calls = sum(r.record.Usage, usage), r.record.Calls.Plus(calls)
}

// conclude records the task's end, and writes the event.
func (r *records) conclude(rec *Task) error {
	now := r.now()
	rec.EndedAt = &now
	if err := r.keep(rec); err != nil {
		return err
	}
	d := TaskEnded{Status: rec.Status, Route: rec.Route, Error: rec.Error}
	for _, a := range rec.Attachments {
		if a.Refused != "" {
			d.Refused++
		}
	}
	if u := rec.Usage; u != nil {
		d.Tokens, d.CostUSD = u.InputTokens+u.OutputTokens, u.CostUSD
	}
	d.Calls = rec.Calls
	return r.journal.add(TaskEnd, rec.Key, d)
}

// abandon records that the task was stopped, and returns why.
func (r *records) abandon(rec *Task, cause error) error {
	rec.Status = Interrupted
	if !errors.Is(cause, errInterrupted) {
		rec.Status = Cancelled
	}
	if err := r.conclude(rec); err != nil {
		return err
	}
	return cause
}
