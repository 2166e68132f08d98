package permit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"belay/internal/durable"
)

// Logged is an entry as it stands in the log.
type Logged struct {
	// N is the number of its line, from 1.
	N    int
	Time time.Time
	Entry
}

// MaxNewest is how much of the log's end [Audit.Newest] reads, in bytes.
const MaxNewest = 4 << 20

// Newest calls see with the entries of the log, the newest first, until see returns false.
// It reads at most [MaxNewest] bytes; more reports whether the log has older entries that it
// did not read. It takes no lock and checks no hashes: [Audit.Verify] does. A line that is
// being written, and one that is no entry, is left out.
func (a *Audit) Newest(ctx context.Context, see func(Logged) bool) (more bool, err error) {
	end, more, err := a.lastBytes()
	if err != nil {
		return false, fmt.Errorf("read the audit log: %w", err)
	}
	for end = wholeLines(end, more); len(end) > 0; {
		if err := ctx.Err(); err != nil {
			return false, context.Cause(ctx)
		}
		at := bytes.LastIndexByte(end[:len(end)-1], '\n') + 1
		line, rest := end[at:], end[:at]
		end = rest
		if l, ok := logged(line); ok && !see(l) {
			return false, nil
		}
	}
	return more, nil
}

// lastBytes are the last bytes of the log, and whether it has more.
func (a *Audit) lastBytes() (end []byte, more bool, err error) {
	root, err := os.OpenRoot(filepath.Dir(a.path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	f, info, err := durable.OpenRegular(root, filepath.Base(a.path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	from := max(0, info.Size()-MaxNewest)
	end = make([]byte, info.Size()-from)
	n, err := f.ReadAt(end, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	return end[:n], from > 0, nil
}

// wholeLines is data without a last line that has no end, and without the first one where
// that may have been cut.
func wholeLines(data []byte, cut bool) []byte {
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	if cut {
		data = data[bytes.IndexByte(data, '\n')+1:]
	}
	return data
}

// logged reads a line of a format that this program knows.
func logged(line []byte) (Logged, bool) {
	var l auditLine
	cut := len(line) - hashBytes
	if cut <= 0 || durable.CheckVersion("a line of the audit log", line, auditVersion) != nil || decode(append(bytes.Clone(line[:cut]), '}'), &l) != nil {
		return Logged{}, false
	}
	return Logged{l.N, l.Time, l.Entry}, true
}
