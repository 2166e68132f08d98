package session

import (
	"io/fs"
	"sync"
)

// seenFiles remembers how files looked when something was true of them.
type seenFiles struct {
	mu    sync.Mutex
	files map[string]fs.FileInfo
}

// maxSeen bounds what is remembered; what is forgotten is found out once more.
const maxSeen = 10_000

func (s *seenFiles) note(path string, info fs.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil || len(s.files) >= maxSeen {
		s.files = map[string]fs.FileInfo{}
	}
	s.files[path] = info
}

// has reports whether the file was seen, and is the same by a comparison.
func (s *seenFiles) has(path string, info fs.FileInfo, same func(a, b fs.FileInfo) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, ok := s.files[path]
	return ok && same(seen, info)
}
