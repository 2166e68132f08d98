package run

import (
	"os"
	"time"

	"belay/internal/durable"
)

// Pause is a time in which no process worked on a run.
type Pause struct {
	// From is when the run ended. Of a process that was killed it is the last sign of life.
	From time.Time `json:"from"`
	// To is when the next process took the run up, or somebody cancelled it.
	To time.Time `json:"to"`
}

// Worked is how long the run was worked on until now, or until its end.
func (s *Summary) Worked(now time.Time) time.Duration {
	return worked(s.StartedAt, s.EndedAt, s.PausedMs, now)
}

// Worked is how long the task was worked on until now, or until its end.
func (t *Task) Worked(now time.Time) time.Duration {
	return worked(t.StartedAt, t.EndedAt, t.PausedMs, now)
}

func worked(start time.Time, end *time.Time, paused int64, now time.Time) time.Duration {
	if end != nil {
		now = *end
	}
	return max(0, now.Sub(start)-time.Duration(paused)*time.Millisecond)
}

// leftAt notes when the run ended. A run that a killed process left has no end: then the last
// sign of life counts.
func (r *records) leftAt(end *time.Time) {
	if end != nil {
		r.left = *end
	}
}

// paused puts on record that nobody worked on the run until now.
func (r *records) paused(now time.Time) {
	from := r.left
	if from.Before(r.record.StartedAt) {
		from = r.record.StartedAt
	}
	r.record.Pauses = append(r.record.Pauses, Pause{from, now})
	r.record.PausedMs += between(from, now)
}

// goesOn counts what a task from before did not get of the time until it begins again: all
// since its end. A task that a killed process left has none, and paused with the run, as
// often as that did since the task began last.
func (t *Task) goesOn(pauses []Pause, now time.Time) {
	if t.EndedAt != nil && t.EndedAt.After(t.StartedAt) {
		t.PausedMs += between(*t.EndedAt, now)
	} else {
		begun := t.StartedAt
		if t.ResumedAt != nil {
			begun = *t.ResumedAt
		}
		for _, p := range pauses {
			if p.From.Before(begun) {
				p.From = begun
			}
			t.PausedMs += between(p.From, p.To)
		}
	}
	t.ResumedAt = &now
}

// between is the time from one moment to another in milliseconds, 0 where the clock went
// back.
func between(from, to time.Time) int64 { return max(0, to.Sub(from).Milliseconds()) }

// aliveEvery is how often a process notes that it works on a run. A task that is killed
// in the midst of a long call loses no more of its time.
const aliveEvery = 10 * time.Second

// aliveFormat is the note, of one length: each replaces the one before.
const aliveFormat = "2006-01-02T15:04:05.000Z\n"

// noteAlive notes in the run's lock that a process works on it at a time.
func noteAlive(lock *os.File, at time.Time) error {
	return durable.WriteAt(lock, []byte(at.UTC().Format(aliveFormat)), 0, durable.RunAlive)
}

// lastAlive is the latest note in a run's lock, the zero time where there is none that can
// be read.
func lastAlive(lock *os.File) time.Time {
	b := make([]byte, len(aliveFormat))
	n, _ := lock.ReadAt(b, 0) // what is missing is no note
	at, err := time.Parse(aliveFormat, string(b[:n]))
	if err != nil {
		return time.Time{}
	}
	return at
}
