package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxWireName is the longest name that every provider takes.
const maxWireName = 64

// wireName is a canonical name as providers take it, [A-Za-z0-9_-]{1,64}. Names
// that would come out the same get a hash of what they were.
func wireName(name string, taken func(string) bool) string {
	wire := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if wire != "" && len(wire) <= maxWireName && !taken(wire) {
		return wire
	}
	sum := sha256.Sum256([]byte(name))
	mark := "_" + hex.EncodeToString(sum[:8])
	return wire[:min(len(wire), maxWireName-len(mark))] + mark
}

// Names reports whether an entry of a list of tools, as a person wrote it, is about a tool.
// Names are understood in any case; mcp.files.* stands for all that begin so.
func Names(entry, name string) bool {
	entry = strings.TrimSpace(entry)
	if prefix, ok := strings.CutSuffix(entry, "*"); ok && strings.HasSuffix(prefix, ".") {
		return len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
	}
	return strings.EqualFold(entry, name)
}
