//go:build !linux

package durable

import "os"

// dataSync flushes the file; only Linux offers a cheaper way through syscall.
func dataSync(f *os.File) error { return f.Sync() }
