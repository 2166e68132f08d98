package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// transcript is a session's transcript in memory, without what only readers of the
// record ask for ([EntryRequest]): turns go on without it, and it is the larger
// part. Entries are only ever appended, so a slice that was handed out stays valid
// and never changes.
type transcript struct {
	hashChain
	entries []Entry
	// whole is set where requests are kept, too.
	whole, loaded bool
	// newer is set where a later version of belay wrote a line.
	newer error
	// session is what the last session line says, nil for a transcript without.
	session *Record
	// reserved is the sequence up to which events may exist by what the transcript
	// says, kept by what of it is flushed; see [reservation].
	reserved, kept int64
	// boot is the system's time of running in which the last session line was
	// written.
	boot string
	// flushed is the position up to which the file is known to be on disk.
	flushed position
}

// add takes one line of the file. A whole line that is no entry stays there.
func (t *transcript) add(b []byte, end int64) {
	if line, ok := parseSessionLine(b); ok {
		t.takeSession(line)
	} else if t.whole || !isRequest(b) { // to decode those takes longer than all others
		t.expect(end)
		if e, err := parseEntry(b); err == nil {
			t.keep(e)
		}
	}
	if end <= t.flushed.Size {
		t.kept = t.reserved
	}
}

// takeSession takes a session line.
func (t *transcript) takeSession(line sessionLine) {
	if line.V > formatVersion && t.newer == nil {
		t.newer = newer(fileTranscript, line.V)
	}
	if line.Record != nil {
		t.session = line.Record
	}
	t.reserved, t.boot = max(t.reserved, line.Reserved), line.BootID
}

// keep appends those entries that are kept.
func (t *transcript) keep(entries ...Entry) {
	t.entries = roomFor(t.entries, len(entries))
	for i := range entries {
		t.reserved = max(t.reserved, entries[i].Reserved)
		if entries[i].Kind == EntryRequest && !t.whole {
			continue
		}
		t.entries = append(t.entries, entries[i])
	}
}

// roomFor makes room for n more entries, and for a turn or a quarter of all behind
// them: entries are large, and many sessions are in memory at a time.
func roomFor(all []Entry, n int) []Entry {
	const turn = 3
	if cap(all)-len(all) >= n {
		return all
	}
	grown := make([]Entry, len(all), len(all)+n+max(turn, len(all)/4))
	copy(grown, all)
	return grown
}

// expect makes room for the entries of a file that is being read: for twice as
// many, or for all where the first end bytes tell that there are fewer. Entries
// are large, and to move them often takes as long as to decode them.
func (t *transcript) expect(end int64) {
	if n := len(t.entries); n > 0 && n == cap(t.entries) && t.seen != nil {
		all := int(float64(n)*float64(t.seen.Size())/float64(end)*1.02) + 1
		t.entries = append(make([]Entry, 0, max(min(all, 2*n), n+n/8+1)), t.entries...)
	}
}

// reset forgets the entries before the file is read again.
func (t *transcript) reset() {
	_ = t.close() // what was appended through it is in the file
	*t = transcript{hashChain: hashChain{name: fileTranscript}, loaded: true}
}

// made is reset for a transcript of one session line that was just written.
func (t *transcript) made(rec *Record, line []byte, bootID string) {
	t.reset()
	t.sum = sha256.New()
	t.sum.Write(line)
	t.size, t.session, t.boot = int64(len(line)), rec, bootID
}

// requestPrefix begins the line of a request, unless somebody else wrote it.
var requestPrefix = []byte(`{"kind":"request",`)

// isRequest reports whether a line is one of [EntryRequest], by how it begins.
func isRequest(b []byte) bool { return bytes.HasPrefix(b, requestPrefix) }

// likeV1 makes the decoder accept what encoding/json does, in a third of the
// time: people may have edited a transcript.
var likeV1 = jsonv2.JoinOptions(
	jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsonv2.MatchCaseInsensitiveNames(true),
)

// parseEntry reads one line.
func parseEntry(b []byte) (Entry, error) {
	var e Entry
	if len(b) == 0 || b[len(b)-1] != '\n' {
		return e, fmt.Errorf("transcript: a line longer than %d bytes", maxLine)
	}
	if err := jsonv2.Unmarshal(b, &e, likeV1); err != nil {
		return e, fmt.Errorf("transcript: %w", err)
	}
	if e.Kind == "" {
		return e, fmt.Errorf("transcript: a line without a kind")
	}
	return e, nil
}

// encodeEntries returns entries as lines.
func encodeEntries(entries []Entry) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range entries {
		if err := enc.Encode(&entries[i]); err != nil {
			return nil, fmt.Errorf("encode transcript entry: %w", err)
		}
	}
	return b.Bytes(), nil
}

// Transcript returns the whole transcript of a session, oldest first. A line that
// is not an entry is left out.
func (s *Store) Transcript(ctx context.Context, id string) ([]Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.states.found(id)
	if err != nil {
		return nil, err
	}
	root, err := p.open()
	if err != nil {
		return nil, storage("the session's folder cannot be opened", err)
	}
	defer func() { _ = root.Close() }()
	t := transcript{hashChain: hashChain{name: fileTranscript}, whole: true}
	if err = t.read(root, t.add); err == nil {
		err = t.newer
	}
	return t.entries, unreadable(id, err)
}

// Entries is Transcript without the requests, from memory where it is there. The
// slice may be shared and must not be changed.
func (s *Store) Entries(ctx context.Context, id string) ([]Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, err := s.states.enter(id)
	if err != nil {
		return nil, err
	}
	defer s.states.leave(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.record(); err != nil {
		return nil, err
	}
	if l.lease.holds() || l.transcript.loaded && l.transcript.current(l.path.file(fileTranscript)) {
		return l.transcript.shared(), unreadable(id, l.transcript.newer)
	}
	root, err := l.path.open()
	if err != nil {
		return nil, storage("the session's folder cannot be opened", err)
	}
	defer func() { _ = root.Close() }()
	if err := l.readTranscript(root); err != nil {
		return nil, unreadable(id, err)
	}
	return l.transcript.shared(), unreadable(id, l.transcript.newer)
}

// readTranscript reads the transcript without being its writer. l.mu is held.
func (l *sessionState) readTranscript(root *os.Root) error {
	l.transcript.reset()
	return l.transcript.read(root, l.transcript.add)
}

// shared returns the entries such that an append by the receiver does not touch
// what the caller sees.
func (t *transcript) shared() []Entry { return t.entries[:len(t.entries):len(t.entries)] }
