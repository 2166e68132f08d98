package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"belay/internal/durable"
)

// A session's record is written when it changes. The time of use changes with
// every turn: it is that of the transcript's last line.

// lastUse reads when the last line of a transcript was written, and describes the
// file: as the zero time and nil where it does not tell. Readers of the
// transcript report what is wrong in it; what is no file at all is [ErrMalformed].
func lastUse(root *os.Root) (Time, fs.FileInfo, error) {
	f, info, err := durable.OpenRegular(root, fileTranscript)
	if errors.Is(err, durable.ErrNotRegular) {
		return Time{}, nil, fmt.Errorf("%s %w: %w", fileTranscript, ErrMalformed, durable.ErrNotRegular)
	}
	if err != nil {
		return Time{}, nil, nil
	}
	defer func() { _ = f.Close() }() // it was only read
	// One read of the end has the whole last line, unless that is a long one.
	tail := make([]byte, min(info.Size(), 4<<10))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return Time{}, info, nil
	}
	whole := tail[:bytes.LastIndexByte(tail, '\n')+1]
	before := bytes.LastIndexByte(bytes.TrimSuffix(whole, []byte("\n")), '\n')
	if before >= 0 || int64(len(tail)) == info.Size() {
		return timeIn(whole[before+1:]), info, nil
	}
	return timeIn(lastLine(f, info.Size())), info, nil
}

// headBytes is how much of a line has its time.
const headBytes = 512

// lastLine returns the beginning of the last whole line, nil where there is none.
func lastLine(f io.ReaderAt, size int64) []byte {
	end, err := durable.Whole(f, size)
	if err != nil || end == 0 {
		return nil
	}
	start, err := durable.Whole(f, end-1)
	if err != nil {
		return nil
	}
	head := make([]byte, min(end-start, headBytes))
	if _, err := f.ReadAt(head, start); err != nil {
		return nil
	}
	return head
}

// timeIn finds the time at the beginning of a line.
func timeIn(head []byte) Time {
	_, rest, _ := bytes.Cut(head[:min(len(head), headBytes)], []byte(`"time":"`))
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
