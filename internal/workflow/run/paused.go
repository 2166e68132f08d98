package run

import "time"

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

// goesOn counts the pause before a task from before begins again: since its end, or since
// the process left it.
func (t *Task) goesOn(left, now time.Time) {
	if t.resumed {
		return
	}
	t.resumed = true
	if t.EndedAt != nil {
		left = *t.EndedAt
	}
	if left.Before(t.StartedAt) {
		left = t.StartedAt
	}
	t.PausedMs += between(left, now)
}

// between is the time from one moment to another in milliseconds, 0 where the first is not
// known or the clock went back.
func between(from, to time.Time) int64 {
	if from.IsZero() {
		return 0
	}
	return max(0, to.Sub(from).Milliseconds())
}
