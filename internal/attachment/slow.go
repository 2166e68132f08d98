package attachment

import (
	"errors"
	"sync"
	"time"
)

// errTooSlow says that a file used up the time that one file gets. Waiting for
// others does not count.
var errTooSlow = errors.New("took too long")

// What was too slow is not tried again for slowFor: a history is planned again
// with every request, and each would pay for its slowest file. It is tried again
// then, because the machine may have been busy. slowKept bounds the list.
const (
	slowFor  = 10 * time.Minute
	slowKept = 1024
)

// slowList remembers renditions whose making took too long. Set now before its
// first use; it is safe for concurrent use.
type slowList struct {
	now   func() time.Time
	mu    sync.Mutex
	until map[string]time.Time
}

func (l *slowList) has(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until[key].After(l.now())
}

func (l *slowList) add(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if len(l.until) >= slowKept {
		for k, t := range l.until {
			if !t.After(now) {
				delete(l.until, k)
			}
		}
	}
	if l.until == nil || len(l.until) >= slowKept { // full of slow files: start again
		l.until = map[string]time.Time{}
	}
	l.until[key] = now.Add(slowFor)
}

// tooSlow is the rendition of what is not made in time; it is not cached.
func (p *Planner) tooSlow() rendition {
	return rendition{Note: "it could not be prepared in time"}
}
