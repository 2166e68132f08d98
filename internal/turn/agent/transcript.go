package agent

import "belay/internal/session"

// Transcript adds to the transcript what happens in a turn.
type Transcript struct {
	lease *session.Lease
	// buffered are entries that go with the next.
	buffered []session.Entry
	// Err is the first error. After it nothing more is added: a transcript that misses an
	// entry must not look complete, so that the next lease of the session takes what is
	// missing from the log.
	Err error
}

// Append adds entries, after those that are buffered.
func (t *Transcript) Append(entries ...session.Entry) error {
	if len(t.buffered) > 0 {
		entries, t.buffered = append(t.buffered, entries...), nil
	}
	if t.Err == nil {
		t.Err = t.lease.Append(entries...)
	}
	return t.Err
}

// buffer keeps an entry back until the next one is appended, which must be about to
// happen: both go into the file with one write.
func (t *Transcript) buffer(e session.Entry) { t.buffered = append(t.buffered, e) }

// flush appends what is buffered, where the log is to report it first.
func (t *Transcript) flush() error {
	if len(t.buffered) == 0 {
		return nil
	}
	return t.Append()
}
