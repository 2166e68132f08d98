package session

import (
	linked "container/list"
	"maps"
	"slices"
	"sync"
	"time"
)

// states has the sessions in memory.
type states struct {
	store   *Store
	janitor sync.Once

	mu  sync.Mutex
	all map[string]*sessionState
	// idle are those of them that nobody uses, the longest unused first.
	idle   *linked.List
	closed bool
}

// get returns the session's object, nil where it is not in memory.
func (s *states) get(id string) *sessionState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[id]
}

// close forgets all sessions and returns them. First is false where it was called before.
func (s *states) close() (all map[string]*sessionState, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	s.closed = true
	all, s.all = s.all, nil
	s.idle = linked.New()
	return all, true
}

// enter returns the session's object and keeps it until leave.
func (s *states) enter(id string) (*sessionState, error) {
	if !ValidID(id) {
		return nil, notFound(id)
	}
	if l, err := s.pin(id, nil); l != nil || err != nil {
		return l, err
	}
	p, err := s.store.paths.locate(id)
	if err != nil {
		return nil, err
	}
	return s.pin(id, &p)
}

// pin takes a reference to the session's object, making it when p says where the
// session is.
func (s *states) pin(id string, p *sessionPath) (*sessionState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errStoreClosed
	}
	l := s.all[id]
	if l == nil {
		if p == nil {
			return nil, nil
		}
		l = &sessionState{store: s.store, id: id, path: *p}
		s.all[id] = l
		s.janitor.Do(func() { s.store.wg.Go(s.dropIdle) })
	}
	l.refs++
	if l.idle != nil {
		s.idle.Remove(l.idle)
		l.idle = nil
	}
	return l, nil
}

// leave gives back what enter took. A session that nobody uses any more keeps its
// files open; where these are too many, the one unused for the longest goes at once.
func (s *states) leave(l *sessionState) {
	now := time.Now()
	s.mu.Lock()
	l.used = now
	if l.refs--; l.refs == 0 && s.all[l.id] == l {
		l.idle = s.idle.PushBack(l)
	}
	var over *sessionState
	if s.idle.Len() > s.store.o.IdleMax {
		over = s.drop(s.idle.Front())
	}
	s.mu.Unlock()
	if over != nil {
		// Its files were only read or are complete: an error of closing them has no
		// consequence.
		_ = over.shut(nil)
	}
}

// drop removes an idle session from memory. s.mu is held.
func (s *states) drop(e *linked.Element) *sessionState {
	l := s.idle.Remove(e).(*sessionState)
	l.idle = nil
	delete(s.all, l.id)
	return l
}

// dropIdle drops sessions from memory that nobody has used for a while, until the
// store is closed.
func (s *states) dropIdle() {
	tick := time.NewTicker(max(s.store.o.IdleClose/4, 5*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-s.store.stop:
			return
		case now := <-tick.C:
			for _, l := range s.takeIdle(now) {
				_ = l.shut(nil) // as in leave
			}
		}
	}
}

// takeIdle removes from memory what nobody has used for a while.
func (s *states) takeIdle(now time.Time) (idle []*sessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.idle.Front(); e != nil && now.Sub(e.Value.(*sessionState).used) >= s.store.o.IdleClose; e = s.idle.Front() {
		idle = append(idle, s.drop(e))
	}
	return idle
}

// forget drops a session's object from memory; who has it keeps it.
func (s *states) forget(l *sessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[l.id] == l {
		delete(s.all, l.id)
	}
}

func (s *states) inMemory() []*sessionState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.all))
}

// found returns where a session is that has a usable record.
func (s *states) found(id string) (sessionPath, error) {
	l, err := s.enter(id)
	if err != nil {
		return sessionPath{}, err
	}
	defer s.leave(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.record()
	return l.path, err
}
