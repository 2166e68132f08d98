package turn

import (
	"sync"
	"time"
)

// TimeLimit calls a function when a time is up. The time stands still while the
// limit is paused. A nil TimeLimit has no end.
//
// It is safe for concurrent use. Pauses are counted: the time goes on when each
// of them has its Resume.
type TimeLimit struct {
	up func()

	mu     sync.Mutex
	left   time.Duration
	since  time.Time // when the time began to run
	pauses int
	over   bool
	timer  *time.Timer
}

// NewTimeLimit returns a limit that calls up, once, when d is over.
func NewTimeLimit(d time.Duration, up func()) *TimeLimit {
	l := &TimeLimit{up: up, left: d, since: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(d, l.ring)
	return l
}

func (l *TimeLimit) ring() {
	l.mu.Lock()
	due := l.pauses == 0 && !l.over
	l.over = l.over || due
	l.mu.Unlock()
	if due {
		l.up()
	}
}

// Pause stops the time.
func (l *TimeLimit) Pause() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pauses++; l.pauses == 1 {
		l.timer.Stop()
		l.left -= time.Since(l.since)
	}
}

// Resume lets the time run again.
func (l *TimeLimit) Resume() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pauses--; l.pauses == 0 && !l.over {
		l.since = time.Now()
		l.timer.Reset(max(l.left, 0))
	}
}

// Stop ends the limit: its function is not called any more.
func (l *TimeLimit) Stop() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.timer.Stop()
}
