package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Clip shortens a text to at most n bytes and marks where it was cut.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	const mark = "…"
	return strings.ToValidUTF8(text[:max(n-len(mark), 0)], "") + mark
}

// Printable keeps a name or path on its line: names may hold anything but a slash.
func Printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }) {
		return fmt.Sprintf("%q", name)
	}
	return name
}

// Digest is the SHA-256 of a content, in hex.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
