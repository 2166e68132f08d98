package session

import (
	"crypto/rand"
	"fmt"

	"belay/internal/lazyregexp"
)

var hashPattern = lazyregexp.New(`^[0-9a-f]{64}$`)

// maxID is the longest id of a session.
const maxID = 80

// ValidID reports whether id may be a session's, ^[A-Za-z0-9_-]{1,80}$: an id that
// is not never gets near the disk (HTTP contract, "session id"). Every call of the
// store asks, so it is no expression.
func ValidID(id string) bool {
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return id != "" && len(id) <= maxID
}

// newID returns a fresh session id.
func (s *Store) newID() string { return "sess_" + s.o.NewID() }

// randomUUID is a version 4 UUID (RFC 9562, section 5.4).
func randomUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: the runtime ends the program instead
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
