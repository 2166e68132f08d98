//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package pdf

// reserve returns zeroed memory. It is heap here, which is correct and only costs
// more of it.
func reserve(n int64) ([]byte, error) { return make([]byte, n), nil }

// release leaves it to the collector.
func release([]byte) {}
