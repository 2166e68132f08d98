package overlay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"

	"belay/internal/durable"
)

// hashBuffer is how much of a file is read at once.
const hashBuffer = 64 << 10

// hash is that of a file's content, in hex, with what the file was before it was read,
// and whether it began as a copy.
func (w *walk) hash(root *os.Root, base string) (sum string, seen fs.FileInfo, origin bool, err error) {
	f, seen, err := durable.OpenEntry(durable.Entry{Folder: root, Name: base})
	if err != nil {
		return "", nil, false, err
	}
	defer f.Close()
	h := sha256.New()
	if w.buffer == nil {
		w.buffer = make([]byte, hashBuffer)
	}
	if _, err := io.CopyBuffer(h, during{w.ctx, f}, w.buffer); err != nil {
		return "", nil, false, fmt.Errorf("read %s: %w", base, err)
	}
	return hex.EncodeToString(h.Sum(nil)), seen, copied(f), nil
}

// during reads for as long as its context lasts.
type during struct {
	ctx context.Context //nolint:containedctx // of one read
	io.Reader
}

func (r during) Read(b []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}
