package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"belay/internal/durable"
)

// maxRecord bounds session.json; a real one has a few hundred bytes.
const maxRecord = 1 << 20

// readRecord reads the record in a session folder. Unknown fields are ignored,
// so that a newer version's record can be read.
func readRecord(root *os.Root, id string) (Record, error) {
	f, err := openRegular(root, fileRecord)
	if err != nil {
		return Record{}, err
	}
	defer func() { _ = f.Close() }()
	b, err := readCapped(f, maxRecord)
	if err != nil {
		return Record{}, fmt.Errorf("read %s: %w", fileRecord, err)
	}
	rec, err := decodeRecord(b)
	if err != nil {
		return Record{}, err
	}
	if rec.SessionID != id {
		return Record{}, fmt.Errorf("%s %w: it names the session %q, its folder %q", fileRecord, ErrMalformed, clip(rec.SessionID, 80), id)
	}
	return rec, nil
}

func decodeRecord(b []byte) (Record, error) {
	var rec Record
	if err := json.Unmarshal(b, &rec); err != nil {
		return Record{}, fmt.Errorf("%s %w: %w", fileRecord, ErrMalformed, err)
	}
	return rec, nil
}

// writeRecord replaces the record: two spaces of indent, a line end, no HTML
// escapes. What a read adds is not written.
func writeRecord(root *os.Root, rec Record) error {
	rec.ReadOnly = false
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(rec); err != nil {
		return fmt.Errorf("encode %s: %w", fileRecord, err)
	}
	return durable.WriteFile(root, fileRecord, b.Bytes(), 0o600, durable.SessionRecord)
}

var errNotRegular = errors.New("is not a regular file")

// openRegular opens a file for reading, without waiting for a writer of a pipe
// and nothing but a regular file.
func openRegular(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s %w", name, errNotRegular)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// readCapped reads all of r, or fails when that is more than limit bytes.
func readCapped(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return b, err
}
