package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"belay/internal/durable"
)

// maxLine bounds one line of a transcript or log that is read back.
const maxLine = 64 << 20

// hashChain is one append-only file together with the running hash of its bytes.
// The hash after the last release is kept in the state folder, where an agent
// cannot reach it, so a file that was changed by something else than belay is noticed.
type hashChain struct {
	name  string         // in the session folder
	lines *durable.Lines // open for append; nil until the first one
	// size counts the bytes of whole lines that are known; sum is the hash over
	// them, nil when the file was only read.
	size int64
	sum  hash.Hash
	// seen describes the file when size was taken; nil means: read it again.
	seen fs.FileInfo
	// dirty is set while appended bytes wait for a commit.
	dirty bool
}

// newHashChain is the chain of a file that is not there yet.
func newHashChain(name string) hashChain { return hashChain{name: name, sum: sha256.New()} }

// position is the length and hash of a file at a moment, as it is kept in the state
// folder. The hash is the plain SHA-256 of the file's first Size bytes.
type position struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"`
}

// position returns the end of the chain.
func (c *hashChain) position() position {
	if c.sum == nil || c.size == 0 {
		return position{}
	}
	return position{Size: c.size, SHA256: hex.EncodeToString(c.sum.Sum(nil))}
}

// current reports whether the file at path is as it was when it was last seen.
func (c *hashChain) current(path string) bool {
	if c.seen == nil {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && unchanged(c.seen, info)
}

// read reads the file's whole lines without touching it. A missing file is an
// empty one.
func (c *hashChain) read(root *os.Root, line func(b []byte, end int64)) error {
	return c.scan(root, nil, line)
}

// adopt reads the file as its next writer: its lines, its running hash, and
// whether what was recorded is still there. A cut last line is dropped. Lines
// beyond the record are accepted; they are left by a crash unless the record is
// settled: then somebody else wrote them. The sentence is for people and empty
// when nothing is wrong.
func (c *hashChain) adopt(root *os.Root, want position, settled bool, open func(*os.Root, string) (*durable.Lines, error), line func(b []byte, end int64)) (string, error) {
	h := &prefixHash{h: sha256.New(), stop: want.Size}
	if err := c.scan(root, h, line); err != nil {
		return "", err
	}
	c.sum = h.h
	verdict := c.verdict(want, settled, h)
	if h.n > c.size {
		if err := c.cut(root, open); err != nil {
			return "", err
		}
	}
	return verdict, nil
}

// scan reads the lines, through h when it is not nil.
func (c *hashChain) scan(root *os.Root, h *prefixHash, line func(b []byte, end int64)) error {
	c.size, c.sum, c.seen = 0, nil, nil
	f, err := openRegular(root, c.name)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if c.seen, err = f.Stat(); err != nil {
		return err
	}
	var r io.Reader = f
	if h != nil {
		h.r, r = f, h
	}
	c.size, err = durable.Scan(r, maxLine, func(b []byte, end int64) error {
		line(b, end)
		return nil
	})
	if err != nil {
		c.seen = nil
	}
	return err
}

// verdict compares what was read with what was recorded; a settled record is of
// the whole file.
func (c *hashChain) verdict(want position, settled bool, h *prefixHash) string {
	switch {
	case settled && h.n > want.Size && (want.Size == 0 || h.at == want.SHA256):
		return fmt.Sprintf("%s was extended from %d to %d bytes since belay last wrote it", c.name, want.Size, h.n)
	case want.Size == 0:
		return ""
	case c.seen == nil:
		return fmt.Sprintf("%s is missing; belay had written %d bytes to it", c.name, want.Size)
	case c.size < want.Size:
		return fmt.Sprintf("%s was shortened from %d to %d bytes since belay last wrote it", c.name, want.Size, c.size)
	case h.at != want.SHA256:
		return c.name + " was changed since belay last wrote it"
	}
	return ""
}

// cut drops an unterminated last line and takes the hash of what remains.
func (c *hashChain) cut(root *os.Root, open func(*os.Root, string) (*durable.Lines, error)) error {
	if err := c.openLines(root, open); err != nil {
		return err
	}
	f, err := openRegular(root, c.name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	c.sum = sha256.New()
	if _, err := io.CopyN(c.sum, f, c.size); err != nil {
		return fmt.Errorf("hash %s: %w", c.name, err)
	}
	c.seen, err = f.Stat()
	return err
}

// openLines opens the file for appending.
func (c *hashChain) openLines(root *os.Root, open func(*os.Root, string) (*durable.Lines, error)) error {
	if c.lines != nil {
		return nil
	}
	lines, err := open(root, c.name)
	if err != nil {
		return err
	}
	if lines.Size() != c.size {
		_ = lines.Close() // nothing was written through it
		return fmt.Errorf("%s changed its length while it was in use", c.name)
	}
	c.lines = lines
	return nil
}

// append adds whole lines, all or none.
func (c *hashChain) append(b []byte) error {
	if err := c.lines.Append(b); err != nil {
		return err
	}
	c.sum.Write(b)
	c.size += int64(len(b))
	c.seen, c.dirty = nil, true
	return nil
}

// named reports whether path still leads to the file that is open, and notes what
// that looks like, as settle does.
func (c *hashChain) named(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !c.lines.Is(info) {
		return false
	}
	if info.Size() == c.size {
		c.seen = info
	}
	return true
}

// settle notes what the file looks like after our last append, so that the next
// lease can tell whether anyone else wrote to it.
func (c *hashChain) settle() {
	if c.lines == nil || c.seen != nil {
		return
	}
	info, err := c.lines.Stat()
	if err != nil || info.Size() != c.size {
		c.seen = nil
		return
	}
	c.seen = info
}

func (c *hashChain) close() error {
	if c.lines == nil {
		return nil
	}
	err := c.lines.Close()
	c.lines = nil
	return err
}

// prefixHash hashes what is read through it and remembers the hash of the first
// stop bytes.
type prefixHash struct {
	r    io.Reader
	h    hash.Hash
	n    int64
	stop int64
	at   string
}

func (p *prefixHash) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	b = b[:n]
	if p.n < p.stop && p.n+int64(n) >= p.stop {
		head := b[:p.stop-p.n]
		p.h.Write(head)
		p.at = hex.EncodeToString(p.h.Sum(nil))
		p.h.Write(b[len(head):])
	} else {
		p.h.Write(b)
	}
	p.n += int64(n)
	return n, err
}
