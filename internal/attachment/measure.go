package attachment

import "bytes"

// blockBytes is what the JSON around one block takes, on the high side: type,
// source, media type, cache marker.
const blockBytes = 320

// Token estimates, all on the high side of what the providers document.
const (
	pixelsPerToken   = 750
	maxImageTokens   = 4800
	tokensPerPage    = 3000
	bytesPerToken    = 3
	tokensOfEnvelope = 16

	// A second of sound, and the bytes it takes in a dense encoding.
	tokensPerSecondAudio = 32
	bytesPerSecondAudio  = 2_000
	bytesPerSecondWAV    = 16_000
)

// base64Bytes is the encoded size of n bytes.
func base64Bytes(n int64) int64 { return (n + 2) / 3 * 4 }

// imageTokens estimates an image by its pixels; providers shrink what is larger
// than they look at, so there is a most.
func imageTokens(width, height int) int64 {
	if width <= 0 || height <= 0 {
		return maxImageTokens
	}
	n := (int64(width)*int64(height) + pixelsPerToken - 1) / pixelsPerToken
	return min(n, maxImageTokens) + tokensOfEnvelope
}

// MediaTokens estimates sound by its size and type. It assumes a dense
// encoding, of WAV telephone quality.
func MediaTokens(mime string, bytes int64) int64 {
	density := int64(bytesPerSecondAudio)
	if mime == mimeWAV {
		density = bytesPerSecondWAV
	}
	return (bytes/density+1)*tokensPerSecondAudio + tokensOfEnvelope
}

// textTokens estimates text by its bytes, which is high for every script.
func textTokens(bytes int64) int64 { return bytes/bytesPerToken + tokensOfEnvelope }

// escapeCost is what each byte of UTF-8 takes in a JSON string at most, with the
// HTML characters escaped as encoding/json does. Line separators (E2 80 A8 and
// A9) become six bytes, so every E2 counts as four.
var escapeCost = func() (cost [256]uint8) {
	for b := range cost {
		switch {
		case b == '"', b == '\\', b == '\n', b == '\r', b == '\t':
			cost[b] = 2
		case b < 0x20, b == 0x7f, b == '<', b == '>', b == '&':
			cost[b] = 6
		case b == 0xe2:
			cost[b] = 4
		default:
			cost[b] = 1
		}
	}
	return cost
}()

// escapedLen is the length of s in a JSON string, on the high side.
func escapedLen[T string | []byte](s T) int64 {
	var n int64
	for i := range len(s) {
		n += int64(escapeCost[s[i]])
	}
	return n
}

// escapeCounter adds up escapedLen of what is written to it and notices whether
// there was more than white space.
type escapeCounter struct {
	n     int64
	words bool
}

func (c *escapeCounter) Write(p []byte) (int, error) {
	c.n += escapedLen(p)
	c.words = c.words || len(bytes.TrimSpace(p)) > 0
	return len(p), nil
}

func (c *escapeCounter) blank() bool { return !c.words }
