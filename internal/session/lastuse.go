package session

import (
	"bytes"
	"io/fs"
	"os"
	"time"

	"belay/internal/durable"
)

// A session's record is written when it changes. The time of use changes with
// every turn: it is that of the transcript's last line.

// lastUse reads when the last line of a transcript was written, and describes the
// file: as the zero time and nil where it does not tell. Readers of the
// transcript report what is wrong with it.
func lastUse(root *os.Root) (Time, fs.FileInfo) {
	f, err := openRegular(root, fileTranscript)
	if err != nil {
		return Time{}, nil
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return Time{}, nil
	}
	end, err := durable.Whole(f, info.Size())
	if err != nil || end == 0 {
		return Time{}, info
	}
	start, err := durable.Whole(f, end-1)
	if err != nil {
		return Time{}, info
	}
	head := make([]byte, min(end-start, 512))
	if _, err := f.ReadAt(head, start); err != nil {
		return Time{}, info
	}
	return timeIn(head), info
}

// timeIn finds the time at the beginning of a line.
func timeIn(head []byte) Time {
	_, rest, _ := bytes.Cut(head, []byte(`"time":"`))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	at, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return Time{}
	}
	return Time{at}
}

// use brings the record's time of use up to at.
func (r *Record) use(at Time) {
	if at.Time = at.UTC().Truncate(time.Millisecond); at.After(r.UpdatedAt.Time) {
		r.UpdatedAt = at
	}
}

// useKnown reports whether the record's time of use is that of the transcript as
// it is. l.mu is held.
func (l *sessionState) useKnown() bool {
	if l.lease != nil {
		return true // Append keeps it, and adopt brings it up to date
	}
	info, err := os.Lstat(l.path.file(fileTranscript))
	if err != nil || l.useSeen == nil {
		return err != nil && l.useSeen == nil
	}
	return unchanged(l.useSeen, info)
}
