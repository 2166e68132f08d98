package api

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"runtime"
	"sync"
	"sync/atomic"
)

// gzipPart is how much is compressed as one, in bytes. Parts know nothing of each
// other, which costs a large body less than a hundredth.
const gzipPart = 512 << 10

// gzipHeader says: deflate, no name, no time, as fast as can be, any system.
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff}

// gzipped is data as one member of RFC 1952, made by all cores: the body of a large
// project is made anew after every change of it, and somebody waits.
func gzipped(data []byte) ([]byte, error) {
	parts := make([]bytes.Buffer, max(1, (len(data)+gzipPart-1)/gzipPart))
	failed := make([]error, len(parts))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(len(parts), runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			var w *flate.Writer
			for i := int(next.Add(1)) - 1; i < len(parts); i = int(next.Add(1)) - 1 {
				if w == nil {
					w, failed[i] = flate.NewWriter(&parts[i], flate.BestSpeed)
				} else {
					w.Reset(&parts[i])
				}
				if end := min((i+1)*gzipPart, len(data)); failed[i] == nil {
					failed[i] = deflate(w, data[i*gzipPart:end], end == len(data))
				}
			}
		})
	}
	sum := crc32.ChecksumIEEE(data)
	all.Wait()
	size := len(gzipHeader) + 8
	for i := range parts {
		size += parts[i].Len()
	}
	out := append(make([]byte, 0, size), gzipHeader...)
	for i := range parts {
		out = append(out, parts[i].Bytes()...)
	}
	out = binary.LittleEndian.AppendUint32(out, sum)
	return binary.LittleEndian.AppendUint32(out, uint32(len(data))), errors.Join(failed...)
}

// deflate compresses a part, which ends at a byte, so that another can follow where
// it is not the last.
func deflate(w *flate.Writer, part []byte, last bool) error {
	if _, err := w.Write(part); err != nil {
		return err
	}
	if last {
		return w.Close()
	}
	return w.Flush()
}
