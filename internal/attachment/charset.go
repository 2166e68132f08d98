package attachment

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// The charsets that delivery converts to UTF-8.
const (
	charsetUTF16LE = "utf-16le"
	charsetUTF16BE = "utf-16be"
)

// notTextError is what a textCheck's errors are: what is wrong, and at which byte.
type notTextError string

// Error implements error.
func (e notTextError) Error() string { return string(e) }

func nulByte(at int64) error { return notTextError(fmt.Sprintf("NUL at byte %d", at)) }

// textCheck validates text as it streams past, in chunks of any size. Create
// one with newTextCheck; it keeps at most three bytes between chunks.
type textCheck interface {
	// Write checks the next chunk; the error names the first bad byte.
	Write(p []byte) (int, error)
	// Finish checks that nothing is left half.
	Finish() error
}

func newTextCheck(charset string) textCheck {
	switch charset {
	case charsetUTF16LE:
		return &utf16Check{low: 0, high: 1}
	case charsetUTF16BE:
		return &utf16Check{low: 1, high: 0}
	case "":
		return &utf8Check{}
	}
	return &byteCheck{}
}

// byteCheck is for the character sets of old pages, in which every byte but NUL may
// be text.
type byteCheck struct{ offset int64 }

func (c *byteCheck) Write(p []byte) (int, error) {
	if i := bytes.IndexByte(p, 0); i >= 0 {
		return 0, nulByte(c.offset + int64(i))
	}
	c.offset += int64(len(p))
	return len(p), nil
}

func (c *byteCheck) Finish() error { return nil }

// utf8Check accepts strict UTF-8 (no surrogates, no overlong forms) without NUL.
type utf8Check struct {
	offset int64 // of tail, or of the next byte
	tail   [utf8.UTFMax]byte
	held   int
}

func (c *utf8Check) Write(p []byte) (int, error) {
	written := len(p)
	for c.held > 0 && len(p) > 0 { // complete the character cut by the last chunk
		c.tail[c.held] = p[0]
		c.held++
		p = p[1:]
		if part := c.tail[:c.held]; utf8.FullRune(part) {
			if r, size := utf8.DecodeRune(part); r == utf8.RuneError && size <= 1 {
				return 0, badByte("UTF-8", c.offset)
			}
			c.offset += int64(c.held)
			c.held = 0
		}
	}
	if len(p) == 0 {
		return written, nil
	}
	c.held = copy(c.tail[:], p[len(p)-cutRune(p):])
	p = p[:len(p)-c.held]
	if i := bytes.IndexByte(p, 0); i >= 0 {
		if j := firstInvalid(p[:i]); j >= 0 {
			return 0, badByte("UTF-8", c.offset+int64(j))
		}
		return 0, nulByte(c.offset + int64(i))
	}
	if !utf8.Valid(p) {
		return 0, badByte("UTF-8", c.offset+int64(firstInvalid(p)))
	}
	c.offset += int64(len(p))
	return written, nil
}

func (c *utf8Check) Finish() error {
	if c.held > 0 {
		return badByte("UTF-8", c.offset)
	}
	return nil
}

// utf16Check accepts paired surrogates and no NUL, in either byte order.
type utf16Check struct {
	low, high int // where a unit's two bytes are
	offset    int64
	unit      [2]byte
	held      int
	lead      bool // the last unit was a high surrogate
}

func (c *utf16Check) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		n := copy(c.unit[c.held:], p)
		c.held += n
		p = p[n:]
		if c.held < 2 {
			break
		}
		c.held = 0
		u := uint16(c.unit[c.high])<<8 | uint16(c.unit[c.low])
		isLead, isTrail := u&0xfc00 == 0xd800, u&0xfc00 == 0xdc00
		if u == 0 {
			return 0, nulByte(c.offset)
		}
		if c.lead != isTrail {
			return 0, badByte("UTF-16", c.offset)
		}
		c.lead = isLead
		c.offset += 2
	}
	return written, nil
}

func (c *utf16Check) Finish() error {
	if c.held > 0 || c.lead {
		return badByte("UTF-16", c.offset)
	}
	return nil
}

func badByte(charset string, at int64) error {
	return notTextError(fmt.Sprintf("invalid %s at byte %d", charset, at))
}

// cutRune returns how many bytes at the end of p are the beginning of a
// character whose rest may follow.
func cutRune(p []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if tail := p[len(p)-i:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return i
		}
	}
	return 0
}

// firstInvalid returns the index of the first byte that is not UTF-8, or -1.
func firstInvalid(p []byte) int {
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}
