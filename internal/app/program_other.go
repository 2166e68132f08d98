//go:build !linux

package app

// releaseProgram does nothing: only Linux says which pages a process holds.
func releaseProgram() error { return nil }
