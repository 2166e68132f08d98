package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Scan calls line for every whole line of r, with its line end, and the offset
// just after it. An unterminated last line is not reported: it is either being
// written or was cut off. The slice is only valid during the call.
//
// Of a line longer than limit only the first bytes are reported, without a line
// end, so that memory stays bounded and no parser takes it for a line.
//
// Scan returns the offset after the last whole line, counted from where r began.
func Scan(r io.Reader, limit int, line func(b []byte, end int64) error) (int64, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	var (
		whole, at int64
		long      []byte // the line so far, when it is longer than br's buffer
	)
	for {
		b, err := br.ReadSlice('\n')
		at += int64(len(b))
		switch {
		case err == nil:
			if len(long) > 0 {
				b = appendUpTo(long, b, limit)
			}
			whole = at
			if err := line(b, at); err != nil {
				return whole, err
			}
			long = nil
		case errors.Is(err, bufio.ErrBufferFull):
			long = appendUpTo(long, b, limit)
		case errors.Is(err, io.EOF):
			return whole, nil
		default:
			return whole, fmt.Errorf("read lines: %w", err)
		}
	}
}

// appendUpTo appends b to dst while that stays within limit bytes.
func appendUpTo(dst, b []byte, limit int) []byte {
	return append(dst, b[:min(len(b), max(0, limit-len(dst)))]...)
}
