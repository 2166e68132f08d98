//go:build !linux

package test

// asProgram does what the test binary is for other than testing: nothing here.
func asProgram() (code int, is bool) { return 0, false }
