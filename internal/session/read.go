package session

import (
	"errors"
	"fmt"
	"os"

	"belay/internal/durable"
)

// openRegular opens a regular file for reading.
func openRegular(root *os.Root, name string) (*os.File, error) {
	f, _, err := durable.OpenRegular(root, name)
	if errors.Is(err, durable.ErrNotRegular) {
		err = fmt.Errorf("%s %w: %w", name, ErrMalformed, durable.ErrNotRegular)
	}
	return f, err
}

// openTranscript opens a session's transcript, nil where there is none.
func openTranscript(p sessionPath) (*os.File, error) {
	root, err := p.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	f, err := openRegular(root, fileTranscript)
	if missing(err) {
		return nil, nil
	}
	return f, err
}

// errStop ends a scan without an error.
var errStop = errors.New("enough")

// scanFile calls line for every whole line of a file, with the offset after it, until
// that returns an error. A missing file has no line.
func scanFile(root *os.Root, name string, line func(b []byte, end int64) error) error {
	f, err := openRegular(root, name)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err = durable.Scan(f, maxLine, line); errors.Is(err, errStop) {
		return nil
	}
	return err
}
