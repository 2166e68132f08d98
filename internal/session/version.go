package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	jsonv2 "github.com/go-json-experiment/json"

	"belay/internal/durable"
	"belay/internal/fault"
)

// formatVersion is the version of the session's files that this program writes:
// of session.json, the transcript and the log. It reads every earlier one; files
// of version 0 have none written in them. A file of a later version is refused
// and never written to.
const formatVersion = 1

// newer is the error for a file that a later version of belay wrote.
func newer(file string, version int) error {
	return &durable.NewerError{File: file, Version: version, Known: formatVersion}
}

// isNewer reports whether a later version of belay wrote the file that err is about.
func isNewer(err error) bool {
	var e *durable.NewerError
	return errors.As(err, &e)
}

// tooNew is the fault for a session with such a file.
func tooNew(id string, err error) *fault.Error {
	return fault.New(fault.StorageFailure, "session %s cannot be used: %s", id, reason(err)).
		WithStatus(500).With("sessionId", id).Because(err).WithHint(durable.NewerHint)
}

// header is the first line of a log's segment.
type header struct {
	V int `json:"v"`
}

var segmentHeader = fmt.Appendf(nil, "{\"v\":%d}\n", formatVersion)

// parseHeader reads a segment's first line; false means that it is none. An event of
// a file without a version has no field v.
func parseHeader(line []byte) (h header, ok bool) {
	if headSeq(line) > 0 {
		return h, false
	}
	return h, json.Unmarshal(line, &h) == nil && h.V > 0
}

// checkHeader refuses a segment that a later version wrote.
func checkHeader(name string, line []byte) error {
	if h, ok := parseHeader(line); ok && h.V > formatVersion {
		return newer(name, h.V)
	}
	return nil
}

// sessionLine is the line of a transcript with what session.json says. The first
// line of a transcript is one, and the last one counts.
type sessionLine struct {
	Kind EntryKind `json:"kind"` // entrySession
	V    int       `json:"v"`
	Time Time      `json:"time"`
	// Record is absent in a line that only reserves sequences.
	Record *Record `json:"session,omitempty"`
	// Reserved is the sequence up to which events may exist; see [seqBlock].
	Reserved int64 `json:"reserved,omitempty"`
	// BootID is as in [note].
	BootID string `json:"bootId,omitempty"`
}

// entrySession is the kind of a [sessionLine]. It is no [Entry]: nobody said it.
const entrySession EntryKind = "session"

// looksLikeSessionLine reports whether a line may be a [sessionLine], also one that a
// person or a later version has put another way.
func looksLikeSessionLine(b []byte) bool {
	head := b[:min(len(b), 64)]
	return bytes.Contains(head, []byte(`"session"`)) && bytes.Contains(head, []byte(`"kind"`))
}

func (s sessionLine) encode() ([]byte, error) {
	s.Kind, s.V = entrySession, formatVersion
	if s.Record != nil {
		rec := *s.Record
		rec.ReadOnly, rec.Damaged = false, ""
		s.Record = &rec
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("encode session line: %w", err)
	}
	return b.Bytes(), nil
}

// parseSessionLine reads a line that begins as one; false means that it is none.
func parseSessionLine(b []byte) (line sessionLine, ok bool) {
	if !looksLikeSessionLine(b) || jsonv2.Unmarshal(b, &line, likeV1) != nil || line.Kind != entrySession {
		return sessionLine{}, false
	}
	return line, true
}

// rebuildRecord finds out from the transcript what session.json held. Of a
// transcript without a version it takes what the turns say.
func rebuildRecord(root *os.Root, id string) (Record, error) {
	f, err := openRegular(root, fileTranscript)
	if err != nil {
		return Record{}, err
	}
	defer func() { _ = f.Close() }()
	var (
		rec    Record
		found  bool
		last   Time
		newest []byte // the last line, where the record is found
	)
	_, err = durable.Scan(f, maxLine, func(b []byte, _ int64) error {
		if line, ok := parseSessionLine(b); ok {
			if line.V > formatVersion {
				return newer(fileTranscript, line.V)
			}
			if line.Record != nil {
				rec, found = *line.Record, true
			}
			last, newest = line.Time, newest[:0]
			return nil
		}
		if found { // of the other lines only the time of the last counts
			newest = append(newest[:0], b...)
			return nil
		}
		e, err := parseEntry(b)
		if err != nil {
			return nil // reported by Problems
		}
		last = e.Time
		rec.recall(e)
		return nil
	})
	if err != nil {
		return Record{}, err
	}
	if e, err := parseEntry(newest); err == nil {
		last = e.Time
	}
	found = found || rec.Persona != ""
	if !found || rec.SessionID != "" && rec.SessionID != id {
		return Record{}, fmt.Errorf("%s is lost, and the transcript %w: it does not say what was in it", fileRecord, ErrMalformed)
	}
	rec.SessionID = id
	if rec.UpdatedAt.Before(last.Time) {
		rec.UpdatedAt = last
	}
	return rec, nil
}

// recall takes from an entry what it says of its session.
func (r *Record) recall(e Entry) {
	if r.CreatedAt.IsZero() {
		r.CreatedAt = e.Time
	}
	if m := e.Manifest; m != nil && e.Agent == "" {
		r.Persona, r.Mode, r.Model = m.Persona, m.Mode, m.Model
	}
}
