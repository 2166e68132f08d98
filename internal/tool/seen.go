package tool

import (
	"cmp"
	"slices"
	"sync"

	"belay/internal/session"
)

// Seen remembers the contents that the model was shown in this session's turns,
// by path, so that it does not overwrite what it has not read. It is safe for
// concurrent use.
//
// What is new goes on record with the results of the calls ([Seen.Take]), and
// comes from there in another process ([Seen.Recall]).
type Seen struct {
	mu    sync.Mutex
	seen  map[string]*sight
	fresh []session.Sight
}

// sight is what the model was shown of one file.
type sight struct {
	sha256 string
	whole  bool
	// shown are the lines, in order, apart from one another.
	shown []span
}

// span is a run of lines, the last one included.
type span struct{ first, last int }

// Note records that the model was shown all that path held.
func (s *Seen) Note(path, sha256 string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(session.Sight{Path: path, SHA256: sha256, Whole: true})
}

// NoteLines records that the model was shown the lines from first to last, of
// total, of a content. Pages that cover a content make it seen as a whole.
func (s *Seen) NoteLines(path, sha256 string, first, last, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(session.Sight{Path: path, SHA256: sha256, First: first, Last: last, Total: total})
}

// Unsee takes back what was noted of path, on record: the result that showed it
// was cut before the model got it.
func (s *Seen) Unsee(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(session.Sight{Path: path})
}

// note adds a sight. s.mu is held.
func (s *Seen) note(n session.Sight) {
	s.fresh = append(s.fresh, n)
	if n.SHA256 == "" {
		delete(s.seen, n.Path)
		return
	}
	is := s.of(n.Path, n.SHA256)
	if n.Whole {
		is.whole = true
		return
	}
	is.shown = append(is.shown, span{n.First, n.Last})
	slices.SortFunc(is.shown, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	joined := is.shown[:1]
	for _, next := range is.shown[1:] {
		if end := &joined[len(joined)-1]; next.first <= end.last+1 {
			end.last = max(end.last, next.last)
		} else {
			joined = append(joined, next)
		}
	}
	is.shown = joined
	if joined[0].first <= 1 && joined[0].last >= n.Total {
		is.whole = true
	}
}

// of returns the sight of a content, a new one when path held another before.
func (s *Seen) of(path, sha256 string) *sight {
	if s.seen == nil {
		s.seen = map[string]*sight{}
	}
	is := s.seen[path]
	if is == nil || is.sha256 != sha256 {
		is = &sight{sha256: sha256}
		s.seen[path] = is
	}
	return is
}

// SHA256 returns the hash of what the model was shown of path, when it was shown
// all of it, and "" otherwise.
func (s *Seen) SHA256(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if is := s.seen[path]; is != nil && is.whole {
		return is.sha256
	}
	return ""
}

// Last returns the hash of the content that the model was last shown, in part or
// as a whole, "" when it was shown nothing of path.
func (s *Seen) Last(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if is := s.seen[path]; is != nil {
		return is.sha256
	}
	return ""
}

// Forget drops path: it was removed, or changed by something else.
func (s *Seen) Forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, path)
}

// Take returns what was noted since the last Take.
func (s *Seen) Take() []session.Sight {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.fresh
	s.fresh = nil
	return taken
}

// Recall notes what a transcript's line says: which files changed, and what was
// shown of files afterwards.
func (s *Seen) Recall(e session.Entry) {
	for _, c := range e.Changes {
		if !c.Restored {
			s.Forget(c.Path)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range e.Seen {
		s.note(n)
	}
	s.fresh = nil // it is on record
}
