package permit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// Position is a line of an audit log that this process knows to be on disk. What
// keeps a position elsewhere proves later that the log still has the line: see
// [Audit.Verify].
type Position struct {
	// Log identifies the log by its path and the system. So it stays the same when
	// the log is removed, and it differs for another user and on another machine.
	Log string
	// Line is the line's number, Hash its hash.
	Line int
	Hash string
}

// Seen is a position and where it was found, such as "session sess_1".
type Seen struct {
	Where string
	Position
}

// tail is what a process knows of the log's end. Copies of an [Audit] share it.
type tail struct {
	id   func() string
	last atomic.Pointer[Position]
}

func newTail(path string) *tail {
	return &tail{id: sync.OnceValue(func() string { return logID(path) })}
}

// logID identifies the log at path on this system.
func logID(path string) string {
	machine, err := os.ReadFile("/etc/machine-id")
	if err != nil {
		name, err := os.Hostname()
		if err != nil {
			name = "" // the path alone must do
		}
		machine = []byte(name)
	}
	sum := sha256.Sum256([]byte("belay audit log\x00" + strings.TrimSpace(string(machine)) + "\x00" + filepath.Clean(path)))
	return hex.EncodeToString(sum[:8])
}

// note remembers a line that is on disk. Later lines count, whatever the order in
// which their writers get here.
func (t *tail) note(line int, hash string) {
	p := &Position{Log: t.id(), Line: line, Hash: hash}
	for {
		last := t.last.Load()
		if line == 0 || last != nil && last.Line >= line || t.last.CompareAndSwap(last, p) {
			return
		}
	}
}

// Position returns the last line that this process wrote or learned of from an
// answer ([Pending.Wait]). It is nil where there was none. It reads no file.
func (a *Audit) Position() *Position {
	if a == nil {
		return nil
	}
	return a.tail.last.Load()
}

// Has reports whether a position is one of this log, and not of another user's or
// another machine's.
func (a *Audit) Has(p Position) bool { return p.Log == a.tail.id() && p.Line > 0 }

// look takes the position that the head file names: another process wrote the
// line. A head that cannot be read tells nothing here; [Audit.Verify] reports it.
func (a *Audit) look() {
	if a == nil {
		return
	}
	root, err := os.OpenRoot(filepath.Dir(a.path))
	if err != nil {
		return
	}
	defer root.Close()
	if h, there, err := a.head(root); err == nil && there {
		a.tail.note(h.N, h.Hash)
	}
}

// recorded are positions in the log that others have recorded.
type recorded struct {
	byLine map[int][]Seen
	last   Seen
	// wrong is the first difference.
	wrong error
}

func recordedOf(seen []Seen) *recorded {
	r := &recorded{byLine: map[int][]Seen{}}
	for _, s := range seen {
		r.byLine[s.Line] = append(r.byLine[s.Line], s)
		if s.Line > r.last.Line {
			r.last = s
		}
	}
	return r
}

// compare compares a line of the log with what was recorded of it.
func (r *recorded) compare(line int, hash string) {
	for _, s := range r.byLine[line] {
		if s.Hash != hash && r.wrong == nil {
			r.wrong = fmt.Errorf("%w at line %d: it is not the line that %s recorded", ErrAuditBroken, line, s.Where)
		}
	}
}

// verdict says what is wrong with a log that has this many lines.
func (r *recorded) verdict(lines int) error {
	switch {
	case r.wrong != nil:
		return r.wrong
	case r.last.Line <= lines:
		return nil
	case lines == 0:
		return fmt.Errorf("%w: it is gone, and %s recorded its line %d", ErrAuditBroken, r.last.Where, r.last.Line)
	}
	return fmt.Errorf("%w at line %d: it ends before line %d, which %s recorded", ErrAuditBroken, lines+1, r.last.Line, r.last.Where)
}
