package permit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"belay/internal/durable"
)

// ErrAuditBroken is in the chain of an error about a log that is not what was
// written.
var ErrAuditBroken = errors.New("the audit log is broken")

// hashChain follows the lines of a log.
type hashChain struct {
	n    int    // lines so far
	prev string // the hash of the last one
}

// follow takes the next line, with its end.
func (c *hashChain) follow(line []byte) error {
	broken := func(format string, args ...any) error {
		return fmt.Errorf("%w at line %d: %s", ErrAuditBroken, c.n+1, fmt.Sprintf(format, args...))
	}
	cut := len(line) - hashBytes
	if cut <= 0 || !bytes.HasPrefix(line[cut:], []byte(`,"hash":"`)) || !bytes.HasSuffix(line, []byte("\"}\n")) {
		return broken("it is not a line of this log")
	}
	sum := sha256.Sum256(line[:cut])
	hash := hex.EncodeToString(sum[:])
	if string(line[cut+len(`,"hash":"`):len(line)-len("\"}\n")]) != hash {
		return broken("its content is not what its hash was made of")
	}
	// A line closes in the same way in every version, so that a changed one is not
	// taken for a newer one.
	if err := durable.CheckVersion(fmt.Sprintf("line %d of the audit log", c.n+1), line, auditVersion); err != nil {
		return err
	}
	var l auditLine
	d := json.NewDecoder(bytes.NewReader(append(bytes.Clone(line[:cut]), '}')))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return broken("it is not a line of this log: %v", err)
	}
	switch {
	case l.N != c.n+1:
		return broken("it says that it is number %d", l.N)
	case l.Prev != c.prev:
		return broken("it does not follow the line before it")
	}
	c.n, c.prev = l.N, hash
	return nil
}

// Verify checks the whole log against itself and its head, while nobody appends, and
// returns how many lines are as they were written. The error names the first line that
// is not; it is [ErrAuditBroken]. A log that was never written has no lines. Seen are
// positions of this log that others recorded. They show that the log and its head
// were removed, cut or replaced together. A line is on
// disk before anybody knows its position, so a power cut causes no such finding.
func (a *Audit) Verify(ctx context.Context, seen ...Seen) (n int, err error) {
	known := recordedOf(seen)
	lock, err := acquire(ctx, a.path+".lock")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, known.verdict(0)
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS): // a backup, such as a mounted one: nobody appends
	case err != nil:
		return 0, fmt.Errorf("verify the audit log: %w", err)
	default:
		defer func() { err = errors.Join(err, lock.Unlock()) }()
	}
	root, err := os.OpenRoot(filepath.Dir(a.path))
	if err != nil {
		return 0, fmt.Errorf("verify the audit log: %w", err)
	}
	defer root.Close()
	h, there, err := a.head(root)
	if newer := (*durable.NewerError)(nil); errors.As(err, &newer) {
		return 0, newerLog(err)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: its head cannot be read: %w", ErrAuditBroken, err)
	}
	f, _, err := durable.OpenRegular(root, filepath.Base(a.path))
	switch {
	case errors.Is(err, fs.ErrNotExist) && h.N == 0:
		return 0, known.verdict(0)
	case errors.Is(err, fs.ErrNotExist):
		return 0, fmt.Errorf("%w: it had %d lines and is gone", ErrAuditBroken, h.N)
	case err != nil:
		return 0, fmt.Errorf("verify the audit log: %w", err)
	}
	defer f.Close()
	var c hashChain
	at := "" // the hash of the head's line, as it is now
	_, err = durable.Scan(f, maxAuditLine, func(line []byte, _ int64) error {
		err := c.follow(line)
		if err == nil && c.n == h.N {
			at = c.prev
		}
		if err == nil {
			known.compare(c.n, c.prev)
		}
		return err
	})
	switch {
	case err != nil:
		return c.n, newerLog(err)
	case c.n < h.N:
		return c.n, fmt.Errorf("%w at line %d: it had %d lines, the rest was cut off", ErrAuditBroken, c.n+1, h.N)
	case !there && c.n > 0:
		return c.n, fmt.Errorf("%w: its head is gone, so its end is not known", ErrAuditBroken)
	case h.N > 0 && at != h.Hash:
		return c.n, fmt.Errorf("%w at line %d: it is not the line that was written there", ErrAuditBroken, h.N)
	}
	return c.n, known.verdict(c.n)
}
